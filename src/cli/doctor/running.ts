import { causeOf, unknownAuthority } from '../../common/server-away.ts';
import { makeFetch } from '../../common/outgoing/outgoing.ts';
import { noProxies, proxiesTo, type Proxies } from '../../common/outgoing/proxies.ts';
import { leaderPid } from '../../projections/database/installation.ts';
import { relayCheckpoint } from '../../reactions/relay.ts';
import { withTables } from './database.ts';
import { once } from './finding.ts';

/** The answer of `/health/ready`. */
export type Readiness = {
  readonly isReady: boolean;
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
};

/** A worker, and the address of its leader; null without a leader. */
export type Led = { readonly name: string; readonly leader: string | null };

/** Which parts of the service are running; each is asked once, for all checks. */
export type Running = {
  /** The address of readiness; null if unknown. */
  readonly url: string | null;
  /** Null when nothing answers, or something other than this service. */
  readonly readiness: () => Promise<Readiness | null>;
  /** Node's code where the certificate of what answers is of an authority that this machine does not know; null otherwise. */
  readonly distrusted: () => Promise<string | null>;
  /** @throws CheckNotPossible when the database cannot be queried */
  readonly led: () => Promise<readonly Led[]>;
  /** Whether no instance answers and none is leader: then problems that follow from that are not reported. */
  readonly isStopped: () => Promise<boolean>;
};

type Dependencies = {
  readonly url: string | null;
  readonly proxies?: Proxies;
  readonly databaseUrl: string | null;
  readonly withKafka: boolean;
  readonly isKnownStopped: boolean;
};

export const findService = ({
  url,
  proxies = noProxies,
  databaseUrl,
  withKafka,
  isKnownStopped,
}: Dependencies): Running => {
  const asked = once(() => (url === null || isKnownStopped ? Promise.resolve(null) : ask(url, proxies)));
  const distrusted = async () => {
    const answer = await asked();
    return typeof answer === 'string' && unknownAuthority.test(answer) ? answer : null;
  };
  const readiness = async () => {
    const answer = await asked();
    return typeof answer === 'string' ? null : answer;
  };
  const led = once(() => (databaseUrl === null ? Promise.resolve([]) : readLeaders(databaseUrl, withKafka)));
  const isStopped = once(async () => {
    if (isKnownStopped) return true;
    if ((await readiness()) !== null || (await distrusted()) !== null) return false;
    return (await led().catch(() => [])).every(({ leader }) => leader === null);
  });
  return { url: isKnownStopped ? null : url, readiness, distrusted, led, isStopped };
};

/** In milliseconds: longer than an instance takes to find out that a server of its own does not answer. */
const patience = 12_000;

/** @returns why there is no answer, where there is none */
const ask = async (url: string, proxies: Proxies): Promise<Readiness | string | null> => {
  try {
    const fetch = makeFetch(proxiesTo(url, proxies));
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(patience) });
    const { status, checks } = (await answer.json()) as Partial<Record<'status' | 'checks', unknown>>;
    if (typeof status !== 'string') return null;
    const said = Object.entries(checks ?? {}).map(([name, value]) => [name, String(value)] as const);
    return { isReady: answer.ok, status, checks: Object.fromEntries(said) };
  } catch (error) {
    return causeOf((error as Error).cause);
  }
};

export const ledNow = async (databaseUrl: string): Promise<readonly Led[]> =>
  (await readLeaders(databaseUrl, true)).filter(({ leader }) => leader !== null);

const readLeaders = (databaseUrl: string, withKafka: boolean): Promise<readonly Led[]> =>
  withTables(databaseUrl, async (client) => {
    const { rows } = await client.query<Led>(whoLeads);
    return rows.filter(({ name }) => withKafka || name !== relayCheckpoint);
  });

/** The address is null over a socket. A rebuild has a leader only while somebody runs it. */
const whoLeads = `
  select name, (
    select coalesce(host(client_addr), 'a process of this machine')
    from pg_stat_activity where pid = ${leaderPid('name')}) as leader
  from checkpoints where name not like 'rebuild:%' order by name`;
