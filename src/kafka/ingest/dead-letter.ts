import { createHash } from 'node:crypto';
import type { RecordProblem } from '../records/parse-record.ts';
import type { MessageToPublish, ReceivedMessage } from '../kafka-client.ts';

/** Why a message cannot be used. */
export const deadLetterReasons = [
  /** Not JSON, not an object, not UTF-8, or too long. */
  'unreadable',
  /** A field is missing, unknown or wrong. */
  'invalid',
  'unknown-organization',
  /** This version of the record is already stored, with other content. */
  'version-conflict',
  /** Storing it failed repeatedly while other messages succeeded: a bug of ours. */
  'failed',
] as const;

export type DeadLetterReason = (typeof deadLetterReasons)[number];

export type DeadLetter = {
  readonly topic: string;
  readonly partition: number;
  readonly message: ReceivedMessage;
  readonly reason: DeadLetterReason;
  readonly problems: readonly RecordProblem[];
};

/** The parts that a dead letter omits if the broker refuses its size: the original is in its topic, at the offset. */
export type LeftOut = 'nothing' | 'value' | 'value, key and headers';

const prefix = 'grantbook-';
/** Of a message that was a dead letter: its name. A dead letter keeps it. */
export const resentHeader = `${prefix}resent`;
const shownProblems = 20;

/** The message with headers that say why it cannot be used and its origin; those of an earlier dead letter are replaced. */
export const toDeadLetter = (
  to: string,
  { topic, partition, message, reason, problems }: DeadLetter,
  at: Date,
  leftOut: LeftOut,
): MessageToPublish => ({
  topic: to,
  key: leftOut === 'value, key and headers' ? null : message.key,
  value: leftOut === 'nothing' ? message.value : null,
  headers: {
    ...(leftOut === 'value, key and headers' ? {} : ownHeaders(message)),
    [`${prefix}reason`]: reason,
    ...(problems.length > 0 && { [`${prefix}problems`]: problemsText(problems) }),
    [`${prefix}topic`]: topic,
    [`${prefix}partition`]: String(partition),
    [`${prefix}offset`]: String(message.offset),
    [`${prefix}time`]: at.toISOString(),
    ...(leftOut !== 'nothing' && {
      [`${prefix}left-out`]: leftOut,
      [`${prefix}value-bytes`]: String(message.value?.length ?? 0),
      [`${prefix}value-sha256`]: createHash('sha256')
        .update(message.value ?? '')
        .digest('hex'),
    }),
  },
});

/** All values of each header name, in order, without those of an earlier dead letter. */
export const ownHeaders = ({
  headers,
}: Pick<ReceivedMessage, 'headers'>): Readonly<Record<string, readonly Buffer[]>> => {
  const byName = new Map<string, Buffer[]>();
  for (const [name, value] of headers) {
    if (name.startsWith(prefix) && name !== resentHeader) continue;
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(byName); // a header may be called __proto__
};

const problemsText = (problems: readonly RecordProblem[]): string => {
  const more = problems.length - shownProblems;
  const left = more > 0 ? [{ field: null, message: `and ${more} more` }] : [];
  return JSON.stringify([...problems.slice(0, shownProblems), ...left]);
};
