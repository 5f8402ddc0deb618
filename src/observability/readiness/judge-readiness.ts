import type { ServerStates } from './server-probes.ts';
import type { ServerState } from './server-probe.ts';
import type { Readiness } from '../../http/base/dependencies.ts';
import { timeOf } from '../../common/iso-time.ts';
import type { MailStatus } from '../../common/mail-status.ts';
import { kafkaTrouble, type KafkaStatus } from '../../kafka/status.ts';
import type { DepositCount } from '../../projections/log-guard/head-deposits-table.ts';
import type { WorkerStatus } from '../../projections/leadership/leader-elected-worker.ts';
import { keysIn, type ParkedCount } from '../../projections/parking/parked-rows.ts';
import type { WorkerStatuses } from './worker-statuses.ts';

/** Null: not known now, which is no trouble of its own. */
export type ReadinessFacts = {
  readonly eventStore: string;
  readonly database: string;
  readonly servers: ServerStates;
  readonly workers: WorkerStatuses;
  /** Null without KAFKA_BROKERS. */
  readonly kafka: KafkaStatus | null;
  /** Null without MAIL_URL. */
  readonly mail: MailStatus | null;
  readonly parked: readonly Pick<ParkedCount, 'keys'>[] | null;
  /** The number of persons for whom an instance found the key missing but not deleted. */
  readonly lostKeys: number | null;
  /** Sign-in providers with `ok`, or what is wrong with each. */
  readonly signInProviders: readonly { readonly name: string; readonly state: string }[] | null;
  readonly deposits: readonly Pick<DepositCount, 'waiting'>[] | null;
};

/** What is said of a part of the service, and what follows for the instance. */
type Verdict = { readonly says: string; readonly consequence?: Consequence };
type Consequence = 'degraded' | 'not-ready';

const ok: Verdict = { says: 'ok' };
const notConfigured: Verdict = { says: 'not configured' };
const notReady = (says: string): Verdict => ({ says, consequence: 'not-ready' });
const degraded = (says: string): Verdict => ({ says, consequence: 'degraded' });
/** @param trouble empty or null: none */
const degradedBy = (trouble: string | null): Verdict => (trouble ? degraded(trouble) : ok);

/**
 * Not ready only for what makes tokens or lists wrong: both servers' writes, the clock, the projector. A stuck worker would be stuck
 * everywhere: `degraded`, and an alarm (TR-02).
 */
export const judgeReadiness = (facts: ReadinessFacts): Readiness => {
  const { servers, kafka, mail, lostKeys, signInProviders } = facts;
  const { projector, ...workers } = facts.workers;
  const awayProviders = (signInProviders ?? []).filter(({ state }) => state !== 'ok');
  const waiting = (facts.deposits ?? []).reduce((sum, count) => sum + count.waiting, 0);
  const keys = keysIn(facts.parked ?? []);
  const judged: Readonly<Record<string, Verdict>> = {
    eventStore: judgeServer(facts.eventStore, servers.eventStore),
    database: judgeServer(facts.database, servers.database),
    clocks: judgeClocks(servers),
    projector: judgeWorker(projector, 'not-ready'),
    ...Object.fromEntries(Object.entries(workers).map(([name, one]) => [name, judgeWorker(one, 'degraded')])),
    kafka: kafka === null ? notConfigured : degradedBy(kafkaTrouble(kafka)),
    mail: mail === null ? notConfigured : judgeMail(mail),
    personalKeys: degradedBy(
      lostKeys
        ? `key lost: of ${lostKeys} ${lostKeys === 1 ? 'person' : 'persons'}, see grantbook keys restore`
        : null,
    ),
    ...(signInProviders?.length && {
      signInProviders: degradedBy(awayProviders.map(({ name, state }) => `${name}: ${state}`).join('; ')),
    }),
    headDeposits: degradedBy(waiting === 0 ? null : `${waiting} waiting: see grantbook audit deposits`),
    parked:
      keys === 0
        ? { says: 'nothing' }
        : degraded(`${keys} ${keys === 1 ? 'key' : 'keys'}: see grantbook parked list`),
  };
  const consequences = Object.values(judged).map(({ consequence }) => consequence);
  return {
    ready: !consequences.includes('not-ready'),
    degraded: consequences.includes('degraded'),
    checks: Object.fromEntries(Object.entries(judged).map(([name, { says }]) => [name, says])),
  };
};

const judgeMail = ({ trouble }: MailStatus): Verdict => {
  if (trouble === null) return ok;
  const says = `the newest mail was not sent at ${timeOf(trouble.at)}: ${trouble.problem}`;
  return trouble.isOfRecipient ? { says } : degraded(says);
};

const judgeWorker = ({ role, healthy }: WorkerStatus, consequence: Consequence): Verdict => ({
  says: healthy || role === 'stuck' ? role : `${role}, and does not work: see the log`,
  ...(!healthy && { consequence }),
});

const judgeServer = (reach: string, { trouble, isUntried }: ServerState): Verdict => {
  if (reach !== 'ok') return notReady(reach);
  if (trouble === null) return ok;
  return isUntried
    ? degraded(`answers; whether it accepts writes was ${trouble}`)
    : notReady(`does not accept writes: ${trouble}`);
};

/** A larger difference is outside the tolerance for instants of two machines (OP-05). Milliseconds. */
const mostApart = 30_000;

/** Of three clocks, the one that disagrees with both others is wrong. */
const judgeClocks = ({ eventStore, database }: ServerStates): Verdict => {
  const off = [
    { name: 'event store', ahead: eventStore.ahead ?? 0 },
    { name: 'database', ahead: database.ahead ?? 0 },
  ].filter(({ ahead }) => Math.abs(ahead) > mostApart);
  if (off.length === 0) return ok;
  const [first, second] = off;
  const isOursRight = !first || !second || Math.sign(first.ahead) !== Math.sign(second.ahead);
  const says = off.map(
    ({ name, ahead }) =>
      `the clock of the ${name} is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} ours`,
  );
  return (isOursRight ? degraded : notReady)(says.join(', '));
};
