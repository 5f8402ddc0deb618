import { z } from 'zod';
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

/** Messages of a kind, whose data begin with what identifies it. Preserves the literal types, which are compared with the decisions. */
export const messagesOf =
  <I extends IdentityKind, T extends MessageContract['topic'], Always extends z.ZodRawShape>(
    identity: I,
    topic: T,
    always: Always,
  ) =>
  <N extends MessageContract['type'], Fields extends z.ZodRawShape>(
    type: N,
    summary: string,
    fields: Fields,
  ) => ({ type, identity, topic, summary, data: z.strictObject({ ...always, ...fields }) });
