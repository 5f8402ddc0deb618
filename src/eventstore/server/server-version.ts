import { checkConnectionString } from './connection-problems.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import { openClient } from '../client/open-client.ts';
import { dispose } from '../client/write-client.ts';

/** Internals of the client. */
type Insides = { readonly capabilities: Promise<Capabilities> };
type Capabilities = {
  readonly serverVersion: string;
  readonly supports: (method: { readonly path: string }, feature?: string) => boolean;
};

export type ServerFacts = {
  /** `unknown` if it reports none. */
  readonly version: string;
  /** Whether it is the embedded node, and was forced to serve production. */
  readonly embedded?: 'usual' | 'forced';
};

/** What the server reports about itself. @throws when there is no answer within `ms` */
export const readServerFacts = async (url: string, ms: number): Promise<ServerFacts> => {
  checkConnectionString(url);
  const esdb = openClient(url);
  try {
    const capabilities = await withTimeout(ms, (esdb as unknown as Insides).capabilities);
    const version = capabilities.serverVersion;
    if (!capabilities.supports(embeddedNode)) return { version };
    return { version, embedded: capabilities.supports(embeddedNode, 'forced') ? 'forced' : 'usual' };
  } finally {
    await dispose(esdb, 1_000);
  }
};

/** The entry by which the node tells what it is. */
const embeddedNode = { path: '/grantbook.eventstore_node/embedded' };

/** The oldest server whose filtered subscriptions are correct from the beginning of an empty log. */
const oldest = [24, 10, 5] as const;

/** The end of regular support by major and minor version: the first day without support. */
const support = [
  { version: '24.10', until: '2026-11-01', said: 'October 2026' },
  { version: '26.0', until: '2028-02-01', said: 'January 2028' },
] as const;

export const supportedServers = 'KurrentDB 26.0 (long-term support) or EventStoreDB 24.10.5 or later';

type ServerSupport = {
  /** Name and version; the server is called KurrentDB since 25.0. */
  readonly name: string;
  readonly kind: 'supported' | 'unknown' | 'too-old' | 'out-of-support';
  /** The last month of regular support. */
  readonly since?: string;
};

/** Interprets the server's version. `now`: milliseconds since the Unix epoch. */
export const judgeServer = (version: string, now: number): ServerSupport => {
  const [major = NaN, minor = NaN, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  if (Number.isNaN(major) || Number.isNaN(minor))
    return { name: 'a server of unknown version', kind: 'unknown' };
  const name = `${major >= 25 ? 'KurrentDB' : 'EventStoreDB'} ${version}`;
  const distance = [major - oldest[0], minor - oldest[1], patch - oldest[2]].find((part) => part !== 0) ?? 0;
  if (distance < 0) return { name, kind: 'too-old' };
  const ended = support.find(
    (entry) => entry.version === `${major}.${minor}` && now >= Date.parse(entry.until),
  );
  return ended ? { name, kind: 'out-of-support', since: ended.said } : { name, kind: 'supported' };
};
