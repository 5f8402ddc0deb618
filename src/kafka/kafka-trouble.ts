import type { KafkaStatus, Trouble } from './status.ts';

/** Problems with Kafka, for readiness; null for none. No request needs Kafka: an instance stays ready. */
export const kafkaTrouble = ({ relay, ingest }: KafkaStatus): string | null => {
  const outward = relayTrouble(relay);
  const inward = ingest.members.flatMap(({ group, consumption: { state, since, trouble } }) =>
    state === 'unreachable' || trouble !== null
      ? [`records of the group ${group}: ${inWords({ since, reason: trouble ?? 'unreachable' })}`]
      : [],
  );
  return outward === null && inward.length === 0 ? null : [...(outward ?? []), ...inward].join('; ');
};

const relayTrouble = ({ role, trouble, waiting }: KafkaStatus['relay']): readonly string[] | null => {
  const wait = waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'event waits' : 'events wait'}`];
  if (trouble) return [inWords(trouble), ...wait];
  return role === 'stuck' ? ['the relay is stuck', ...wait] : null;
};

/** Readiness is public, and the library's messages may contain host names: only the log has the full text. */
const inWords = ({ since, reason }: Trouble): string =>
  `${publicPart(reason)} since ${new Date(since).toISOString()}`;

/** Our own texts, or the name of an error of the system or the protocol: ECONNREFUSED, TOPIC_AUTHORIZATION_FAILED. */
const ours = /^a batch of \S+ is rejected: \w+$/;
const errorName = /(?<![\w.-])(?:E[A-Z]{4,}|[A-Z]+(?:_[A-Z]+)+)(?![\w.-])/;

const publicPart = (reason: string): string => {
  if (ours.test(reason)) return reason;
  const [name] = errorName.exec(reason) ?? [];
  return name === undefined ? 'does not work' : `does not work (${name})`;
};
