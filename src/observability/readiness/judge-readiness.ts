import type { ServerStates } from './server-probes.ts';
import type { ServerState } from './server-probe.ts';
import type { Readiness } from '../../http/base/dependencies.ts';
import { timeOf } from '../../common/iso-time.ts';
import type { MailStatus } from '../../common/mail-status.ts';
import { kafkaTrouble, type KafkaStatus } from '../../kafka/status.ts';
import type { WorkerStatus } from '../../projections/leadership/leader-elected-worker.ts';
import type { WorkerStatuses } from './worker-statuses.ts';

export type ReadinessFacts = {
  readonly eventStore: string;
  readonly database: string;
  readonly servers: ServerStates;
  readonly workers: WorkerStatuses;
  /** Null without KAFKA_BROKERS. */
  readonly kafka: KafkaStatus | null;
  /** Null without MAIL_URL. */
  readonly mail: MailStatus | null;
  readonly parkedKeys: number;
  /** The number of persons for whom an instance found the key missing but not deleted. */
  readonly lostKeys: number;
  /** Sign-in providers with `ok`, or what is wrong with each. */
  readonly signInProviders: readonly { readonly name: string; readonly state: string }[];
  readonly waitingDeposits: number;
};

/**
 * Not ready only for what makes tokens or lists wrong: both servers' writes, the clock, the projector. A stuck worker would be stuck
 * everywhere: `degraded`, and an alarm (TR-02).
 */
export const judgeReadiness = (facts: ReadinessFacts): Readiness => {
  const { eventStore, database, servers, workers, kafka, mail, parkedKeys, lostKeys, waitingDeposits } =
    facts;
  const awayProviders = facts.signInProviders.filter(({ state }) => state !== 'ok');
  const { projector, ...others } = workers;
  const clocks = judgeClocks(servers);
  const trouble = kafka && kafkaTrouble(kafka);
  const roles = Object.entries(others).map(([name, status]) => [name, roleOrTrouble(status)]);
  return {
    ready:
      takesWrites(eventStore, servers.eventStore) &&
      takesWrites(database, servers.database) &&
      clocks.isOursRight &&
      projector.healthy,
    degraded:
      trouble !== null ||
      clocks.off.length > 0 ||
      servers.eventStore.isUntried ||
      parkedKeys > 0 ||
      lostKeys > 0 ||
      waitingDeposits > 0 ||
      mail?.trouble?.isOfRecipient === false ||
      awayProviders.length > 0 ||
      Object.values(others).some(({ healthy }) => !healthy),
    checks: {
      eventStore: describeServer(eventStore, servers.eventStore),
      database: describeServer(database, servers.database),
      clocks: clocks.off.length === 0 ? 'ok' : clocks.off.join(', '),
      projector: roleOrTrouble(projector),
      ...(Object.fromEntries(roles) as Readonly<Record<string, string>>),
      kafka: kafka === null ? 'not configured' : (trouble ?? 'ok'),
      mail: mail === null ? 'not configured' : mailInWords(mail),
      personalKeys:
        lostKeys === 0
          ? 'ok'
          : `key lost: of ${lostKeys} ${lostKeys === 1 ? 'person' : 'persons'}, see grantbook keys restore`,
      ...(facts.signInProviders.length > 0 && {
        signInProviders:
          awayProviders.length === 0
            ? 'ok'
            : awayProviders.map(({ name, state }) => `${name}: ${state}`).join('; '),
      }),
      headDeposits: waitingDeposits === 0 ? 'ok' : `${waitingDeposits} waiting: see grantbook audit deposits`,
      parked:
        parkedKeys === 0
          ? 'nothing'
          : `${parkedKeys} ${parkedKeys === 1 ? 'key' : 'keys'}: see grantbook parked list`,
    },
  };
};

const mailInWords = ({ trouble }: MailStatus): string =>
  trouble === null ? 'ok' : `the newest mail was not sent at ${timeOf(trouble.at)}: ${trouble.problem}`;

const roleOrTrouble = ({ role, healthy }: WorkerStatus): string =>
  healthy || role === 'stuck' ? role : `${role}, and does not work: see the log`;

const takesWrites = (reach: string, { trouble, isUntried }: ServerState): boolean =>
  reach === 'ok' && (trouble === null || isUntried);

const describeServer = (reach: string, { trouble, isUntried }: ServerState): string => {
  if (reach !== 'ok') return reach;
  if (trouble === null) return 'ok';
  return isUntried
    ? `answers; whether it accepts writes was ${trouble}`
    : `does not accept writes: ${trouble}`;
};

/** A larger difference is outside the tolerance for instants of two machines (OP-05). Milliseconds. */
const mostApart = 30_000;

/** Of three clocks, the one that disagrees with both others is wrong. */
const judgeClocks = ({ eventStore, database }: ServerStates) => {
  const off = [
    { name: 'event store', ahead: eventStore.ahead },
    { name: 'database', ahead: database.ahead },
  ].flatMap(({ name, ahead }) => (ahead !== null && Math.abs(ahead) > mostApart ? [{ name, ahead }] : []));
  const [first, second] = off;
  return {
    isOursRight: !first || !second || Math.sign(first.ahead) !== Math.sign(second.ahead),
    off: off.map(
      ({ name, ahead }) =>
        `the clock of the ${name} is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} ours`,
    ),
  };
};
