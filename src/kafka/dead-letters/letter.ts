import { z } from 'zod';
import { jsonIn } from '../../common/json-in.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { splitId } from '../../domain/kernel/stream-name.ts';
import { type DeadLetterReason, deadLetterReasons, ownHeaders, resentHeader } from '../ingest/dead-letter.ts';
import type { MessageToPublish, ReceivedMessage } from '../kafka-client.ts';
import { maxRecordBytes, type RecordProblem } from '../records/parse-record.ts';

/** A message of a topic. A dead letter is named after its place among the dead letters. */
export type Place = { readonly topic: string; readonly partition: number; readonly offset: bigint };

/** What is known of a dead letter without its content: nothing personal. */
export type Letter = Place & {
  /** Null for a message that Grantbook did not write, or a newer version for a new reason. */
  readonly reason: DeadLetterReason | null;
  readonly problems: readonly RecordProblem[];
  /** Where the message was read; null for a message that Grantbook did not write. */
  readonly from: Place | null;
  /** When it was written, in milliseconds since the Unix epoch. */
  readonly writtenAt: number;
  /** The parts that it has not, because the broker refused the complete message; null for none. */
  readonly leftOut: string | null;
  readonly valueBytes: number | null;
  /** The dead letter that it was before; null for none. */
  readonly resentFrom: Place | null;
};

export const placeText = ({ topic, partition, offset }: Place): string => `${topic}/${partition}/${offset}`;

const place = /^([A-Za-z0-9._-]{1,249})\/(0|[1-9]\d{0,9})\/(0|[1-9]\d{0,18})$/;

/** `TOPIC/PARTITION/OFFSET`; null for any other text. */
export const parsePlace = (text: string): Place | null => {
  const [, topic, partition, offset] = place.exec(text) ?? [];
  if (topic === undefined || Number(partition) >= 2 ** 31 || BigInt(offset ?? 0) >= 2n ** 63n) return null;
  return { topic, partition: Number(partition), offset: BigInt(offset ?? 0) };
};

export const toLetter = (topic: string, partition: number, message: ReceivedMessage): Letter => {
  const { offset, value, timestamp } = message;
  const header = (name: string): string | null =>
    message.headers.find(([one]) => one === `grantbook-${name}`)?.[1].toString('utf8') ?? null;
  const valueBytes = header('value-bytes');
  return {
    topic,
    partition,
    offset,
    reason: deadLetterReasons.find((known) => known === header('reason')) ?? null,
    problems: readProblems(header('problems')),
    from: parsePlace(`${header('topic')}/${header('partition')}/${header('offset')}`),
    writtenAt: Math.min(Math.max(timestamp, 0), latest),
    leftOut: header('left-out'),
    valueBytes: valueBytes === null ? (value?.length ?? null) : Number(valueBytes),
    resentFrom: parsePlace(header('resent') ?? ''),
  };
};

/** The latest time that there is (ECMA-262 §21.4.1.1): a producer sets any. */
const latest = 8.64e15;

const problemsSchema = z.array(z.object({ field: z.string().nullable(), message: z.string() }));

const readProblems = (text: string | null): readonly RecordProblem[] =>
  problemsSchema.safeParse(jsonIn(text ?? '[]')).data ?? [];

type Content = Pick<ReceivedMessage, 'key' | 'value' | 'headers'>;

/** The organization that the message names, or its key if it has no value; null for none, or none that can be. */
export const organizationIn = ({ key, value }: Pick<Content, 'key' | 'value'>): string | null => {
  if (value === null) return ulidOrNull(splitId(key?.toString('latin1') ?? '')[0]);
  if (value.length > maxRecordBytes) return null;
  const record = jsonIn(value.toString('utf8')) as { readonly organization_id?: unknown } | null | undefined;
  return ulidOrNull(record?.organization_id);
};

const ulidOrNull = (id: unknown): string | null => (typeof id === 'string' && isUlid(id) ? id : null);

/** The message of a dead letter for the topic it came from, with a header that says which dead letter it was. */
export const toResend = (
  letter: Place,
  to: string,
  message: Pick<ReceivedMessage, 'key' | 'value' | 'headers'>,
): MessageToPublish => ({
  topic: to,
  key: message.key,
  value: message.value,
  headers: { ...ownHeaders(message), [resentHeader]: placeText(letter) },
});
