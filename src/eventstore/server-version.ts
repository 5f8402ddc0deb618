import { checkConnectionString } from './connection-problems.ts';
import { withTimeout } from '../common/with-timeout.ts';
import { openClient } from './open-client.ts';
import { dispose } from './write-client.ts';

/** Internals of the client. */
type Insides = { readonly capabilities: Promise<{ readonly serverVersion: string }> };

/** The version that the server reports; `unknown` if it reports none. @throws when there is no answer within `ms` */
export const readServerVersion = async (url: string, ms: number): Promise<string> => {
  checkConnectionString(url);
  const esdb = openClient(url);
  try {
    const { serverVersion } = await withTimeout(ms, (esdb as unknown as Insides).capabilities);
    return serverVersion;
  } finally {
    await dispose(esdb, 1_000);
  }
};
