import { failure, ok, warning, type Finding } from './finding.ts';
import { decideOnThem } from './parked.ts';
import type { Led, Readiness } from './running.ts';

type ServiceFacts = {
  readonly url: string | null;
  readonly readiness: Readiness | null;
  /** Node's code where its certificate is of an unknown authority. */
  readonly distrusted?: string | null;
  /** Null when the database could not be queried. */
  readonly led: readonly Led[] | null;
  readonly isStopped: boolean;
};

const check = 'service';
const startIt = 'start it: `npm start`';

/** Whether the service runs, and what its readiness reports; what other checks have reported is not repeated. */
export const judgeService = (
  { url, readiness, distrusted = null, led, isStopped }: ServiceFacts,
  others: readonly Finding[],
): Finding => {
  const nobody = `no answer at ${url}`;
  if (isStopped)
    return warning(
      check,
      `is stopped: ${url === null ? '' : `${nobody}, and `}no worker has a leader`,
      startIt,
    );
  if (url === null)
    return warning(
      check,
      'readiness was not checked: the service chose its port itself (PORT=0)',
      'set MANAGEMENT_PORT, or PORT, to the number of a port',
    );
  if (distrusted !== null)
    return warning(
      check,
      `the certificate of ${url} is of an authority that this machine does not know (${distrusted})`,
      'name the authority: NODE_EXTRA_CA_CERTS=/path/ca.crt in the environment of this command',
    );
  if (readiness === null)
    return led === null
      ? warning(check, nobody, startIt)
      : warning(
          check,
          `${nobody}, but an instance is the leader`,
          'point BASE_URL, or HOST and PORT, to an instance; set MANAGEMENT_PORT here if the instance has one',
        );
  return judgeReadiness(url, readiness, others);
};

const judgeReadiness = (
  url: string,
  { isReady, status, checks }: Readiness,
  others: readonly Finding[],
): Finding => {
  const say = (details: readonly (readonly [string, string])[]) =>
    `${url} says ${status}: ${details.map((detail) => detail.join(' ')).join(', ')}`;
  const all = Object.entries(checks);
  if (status === 'stopping') return warning(check, `${url} says stopping`, startIt);
  const reasons = all.filter(([, said]) => !well.has(said));
  if (isReady && reasons.length === 0) return ok(check, say(all));
  const inTrouble = others.filter(({ state }) => state !== 'ok').map((finding) => finding.check);
  const known = (name: string) => knownChecks[name] ?? aWorker;
  const untold = reasons.filter(([name]) => !inTrouble.some((each) => known(name).toldBy.test(each)));
  // If tokens are not accepted, another check usually has the cause.
  const rest = untold.filter(([name]) => name !== 'tokens' || reasons.length === 1);
  if (reasons.length > 0 && rest.length === 0)
    return ok(
      check,
      `${url} says ${status}, for reasons that other checks report: ${reasons.map(([name]) => name).join(', ')}`,
    );
  const advice = [...new Set(rest.map(([name]) => known(name).advice))].join('; ') || aWorker.advice;
  return (isReady ? warning : failure)(check, say(rest), advice);
};

/** Values of readiness checks when nothing is wrong. */
const well = new Set(['ok', 'nothing', 'not configured', 'accepted', 'leading', 'standby']);

/** What to do about a check of readiness, and which checks of the doctor report the same problem. */
type Known = { readonly advice: string; readonly toldBy: RegExp };

const servers = '(docs/how-to/operations.md, "A server does not accept writes")';

/** All other checks are workers, which need the database. */
const aWorker: Known = {
  advice: 'check the log of its leader (docs/how-to/operations.md, "The read models are behind")',
  toldBy: /^(database|writes of the database)$/,
};

const never = /$^/;
const knownChecks: Readonly<Record<string, Known>> = {
  eventStore: {
    advice: `check that the instance can reach the event store ${servers}`,
    toldBy: /^(event store|account at the event store|writes of the event store)$/,
  },
  database: { advice: `see that the instance reaches the database ${servers}`, toldBy: aWorker.toldBy },
  clocks: { advice: 'set the clocks (docs/how-to/operations.md, "A clock is off")', toldBy: /^clock of / },
  logHeads: {
    advice: 'check the log of its leader (docs/how-to/operations.md, "No head of the log is signed")',
    toldBy: aWorker.toldBy,
  },
  kafka: {
    advice: 'check Kafka: `grantbook kafka status`',
    toldBy: /^(kafka$|broker |topics?( |$)|ingest$|expired messages$)/,
  },
  mail: {
    advice:
      'correct MAIL_URL and MAIL_CA_FILE, the mail server, or the address of the person; its log and that of the instance say more',
    toldBy: never,
  },
  personalKeys: {
    advice:
      'put the keys back: `grantbook keys restore FILE` (docs/how-to/back-up-and-restore.md, "Keys of persons are lost")',
    toldBy: /^keys of persons$/,
  },
  signInProviders: { advice: 'check the log of the instance', toldBy: /^sign-in provider / },
  headDeposits: { advice: 'run `grantbook audit deposits` for details', toldBy: never },
  parked: { advice: decideOnThem, toldBy: /^parked events$/ },
  tokens: { advice: aWorker.advice, toldBy: never },
};
