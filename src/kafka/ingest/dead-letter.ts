import { createHash } from 'node:crypto';
import type { RecordProblem } from '../records/parse-record.ts';
import {
  type MessageToPublish,
  type ReceivedMessage,
  type KafkaClient,
  MessageRefused,
} from '../kafka-client.ts';

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

type Dependencies = {
  readonly client: Pick<KafkaClient, 'publish'>;
  readonly topic: string;
  readonly now: () => number;
};

/** Well below the default maximum size of a message. */
const usualBytes = 512 * 1024;

/** Above this, a broker closes the connection (`socket.request.max.bytes`), like an unavailable one. */
const mostBytes = 16 * 1024 * 1024;

const forms = ['nothing', 'value', 'value, key and headers'] as const satisfies readonly LeftOut[];

/**
 * Resolves once the broker has all of them. If it refuses one because of its size, that one is sent without its value,
 * then also without key and headers. If it refuses even that, the topic is the problem, not the message: this rejects.
 */
export const makeSendDeadLetters = ({ client, topic, now }: Dependencies) => {
  const sendAlone = async (letter: DeadLetter, at: Date, signal: AbortSignal): Promise<void> => {
    for (const form of formsFor(letter)) {
      try {
        return await client.publish([toDeadLetter(topic, letter, at, form)], signal);
      } catch (error) {
        if (!(error instanceof MessageRefused) || form === forms.at(-1)) throw error;
      }
    }
  };
  return async (letters: readonly DeadLetter[], signal: AbortSignal): Promise<void> => {
    const at = new Date(now());
    const alone = letters.filter((letter) => bytesOf(letter) > usualBytes);
    const together = letters.filter((letter) => bytesOf(letter) <= usualBytes);
    try {
      const messages = together.map((letter) => toDeadLetter(topic, letter, at, 'nothing'));
      if (messages.length > 0) await client.publish(messages, signal);
    } catch (error) {
      if (!(error instanceof MessageRefused)) throw error;
      alone.push(...together);
    }
    for (const letter of alone) await sendAlone(letter, at, signal);
  };
};

/** A compressed message may have arrived with any size. */
const formsFor = (letter: DeadLetter): readonly LeftOut[] => {
  const { value } = letter.message;
  if (bytesOf(letter) <= mostBytes) return forms;
  return bytesOf(letter) - (value?.length ?? 0) <= mostBytes ? forms.slice(1) : forms.slice(2);
};

const bytesOf = ({ message: { key, value, headers } }: DeadLetter): number =>
  headers.reduce(
    (sum, [name, content]) => sum + name.length + content.length,
    (key?.length ?? 0) + (value?.length ?? 0),
  );
