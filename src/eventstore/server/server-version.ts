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
