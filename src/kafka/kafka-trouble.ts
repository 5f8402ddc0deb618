import type { KafkaStatus, Trouble } from './status.ts';

/**
 * What is wrong with Kafka, in words for whoever looks at readiness: `unreachable since …; 120 events wait`. Null when
 * nothing is. Nobody's request needs Kafka, so this never makes an instance unready.
 */
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

/** Readiness is public, where brokers are is not: the log says which one. */
const inWords = ({ since, reason }: Trouble): string =>
  `${reason.replace(/\S+:\d+/g, 'a broker')} since ${new Date(since).toISOString()}`;
