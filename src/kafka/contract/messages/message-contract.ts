import type { z } from 'zod';
import type { TopicNames } from '../../topics.ts';
import type { IdentityKind } from '../identity.ts';

/**
 * One type of published message. `type` ends with its version: any change that could break a reader (a field removed,
 * renamed, or of another type, or a new value of a closed list) is a new type, so that readers of the old type are not
 * affected.
 */
export type MessageContract = {
  /** CloudEvents `type`. */
  readonly type: `grantbook.${string}.v${number}`;
  /** The fields of its data that say whom it is about. */
  readonly identity: IdentityKind;
  readonly topic: keyof TopicNames['out'];
  /** One sentence for readers about what happened. */
  readonly summary: string;
  readonly data: z.ZodObject;
};

/** Preserves the literal types, which are compared with the decisions. */
export const message = <const M extends MessageContract>(contract: M): M => contract;
