import type { z } from 'zod';
import type { TopicNames } from '../../topics.ts';

/**
 * One type of message that goes out. `type` ends in its version: whatever a reader could trip over (a field gone, renamed,
 * retyped, or one more value of a closed list) is a new type, so that whoever reads the old one by its name is never surprised.
 */
export type MessageContract = {
  /** CloudEvents `type`. */
  readonly type: `grantbook.${string}.v${number}`;
  readonly topic: keyof TopicNames['out'];
  /** What happened, in one sentence for readers. */
  readonly summary: string;
  readonly data: z.ZodObject;
};

/** Keeps the literal types, which the decisions are compared with. */
export const message = <const M extends MessageContract>(contract: M): M => contract;
