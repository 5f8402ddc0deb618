import type { z } from 'zod';
import type { TopicNames } from '../../topics.ts';
import type { IdentityKind } from '../identity.ts';

/** A published message. `type` ends with its version: what could break a reader (removed, renamed, retyped, a new closed value) is a new type. */
export type MessageContract = {
  readonly type: `grantbook.${string}.v${number}`;
  /** The fields of its data that say whom it is about. */
  readonly identity: IdentityKind;
  readonly topic: keyof TopicNames['out'];
  readonly summary: string;
  readonly data: z.ZodObject;
};

/** Preserves the literal types, which are compared with the decisions. */
export const message = <const M extends MessageContract>(contract: M): M => contract;
