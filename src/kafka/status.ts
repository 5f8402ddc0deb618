import { messagesIn, recordsPaths, sinceOf, type ExpiredRange } from '../domain/records/expired-messages.ts';
import { timeOf } from '../common/iso-time.ts';
import type { ConsumptionStatus } from './kafka-client.ts';

export type Trouble = {
  /** When it began, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** In words for operators, without secrets. */
  readonly reason: string;
};

export type RelayStatus = {
  readonly role: 'standby' | 'leading' | 'stuck' | 'stopped';
  /** The problem that prevents publishing; null without one, and on a standby. */
  readonly trouble: Trouble | null;
  readonly published: readonly { readonly topic: string; readonly messages: number }[];
  /** Events that were read from the log but not yet acknowledged. The log may have more. */
  readonly waiting: number;
  /** When the log stored the oldest of them (`created`); null when there are none. */
  readonly oldestWaiting: number | null;
  readonly failures: number;
  /** When the last one failed, in milliseconds since the Unix epoch. */
  readonly lastFailure: number | null;
};

/** The outcome of a message from the host platform. A `retry` is no outcome: the message is still pending. */
export const ingestOutcomes = [
  'added',
  'changed',
  'removed',
  'unchanged',
  'outdated',
  'erased',
  'dead-lettered',
] as const;

export type IngestOutcome = (typeof ingestOutcomes)[number];

export type IngestStatus = {
  readonly messages: readonly {
    readonly topic: string;
    readonly outcome: IngestOutcome;
    readonly messages: number;
  }[];
  /** How often an operation was retried. */
  readonly retries: number;
  /** Messages that expired unread, of which no operator has confirmed an import; as last seen in the log, on every instance. */
  readonly expired: readonly ExpiredRange[];
  readonly members: readonly { readonly group: string; readonly consumption: ConsumptionStatus }[];
};

export type KafkaStatus = { readonly relay: RelayStatus; readonly ingest: IngestStatus };

/** Problems with Kafka, for readiness; null for none. No request needs Kafka: an instance stays ready. */
export const kafkaTrouble = ({ relay, ingest }: KafkaStatus): string | null => {
  const outward = relayTrouble(relay);
  const inward = [
    ...ingest.members.flatMap(({ group, consumption: { state, since, trouble } }) =>
      state === 'unreachable' || trouble !== null
        ? [`records of the group ${group}: ${inWords({ since, reason: trouble ?? 'unreachable' })}`]
        : [],
    ),
    ...expiredInWords(ingest.expired),
  ];
  return outward === null && inward.length === 0 ? null : [...(outward ?? []), ...inward].join('; ');
};

/** One text for each kind of records: how many messages expired unread, and since when that is known. */
export const expiredInWords = (expired: readonly ExpiredRange[]): readonly string[] =>
  recordsPaths.flatMap((records) => {
    const ranges = expired.filter((range) => range.records === records);
    const messages = messagesIn(ranges);
    if (messages === 0n) return [];
    return `${messages} ${messages === 1n ? 'message' : 'messages'} of ${records} expired unread since ${timeOf(sinceOf(ranges) ?? 0)}: see grantbook expired-messages list`;
  });

const relayTrouble = ({ role, trouble, waiting }: KafkaStatus['relay']): readonly string[] | null => {
  const wait = waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'event waits' : 'events wait'}`];
  if (trouble) return [inWords(trouble), ...wait];
  return role === 'stuck' ? ['the relay is stuck', ...wait] : null;
};

/** Readiness is public, and the library's messages may contain host names: only the log has the full text. */
const inWords = ({ since, reason }: Trouble): string => `${publicPart(reason)} since ${timeOf(since)}`;

/** Our own texts, or the name of an error of the system or the protocol: ECONNREFUSED, TOPIC_AUTHORIZATION_FAILED. */
const ours = /^a batch of \S+ is rejected: \w+$/;
const errorName = /(?<![\w.-])(?:E[A-Z]{4,}|[A-Z]+(?:_[A-Z]+)+)(?![\w.-])/;

const publicPart = (reason: string): string => {
  if (ours.test(reason)) return reason;
  const [name] = errorName.exec(reason) ?? [];
  return name === undefined ? 'does not work' : `does not work (${name})`;
};
