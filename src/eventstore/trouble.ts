import { readConnectionString } from './connection-string.ts';
import { permissionDenied, statusOf, unauthenticated } from './esdb-errors.ts';
import { probeServer } from './probe-server.ts';
import { noPassword, noRights, notReady, type Trouble, troubleOf, wrongPassword } from './trouble-words.ts';

/** What an error of a call means, or null for one that says nothing about user and rights. */
export const refusalIn = (url: string, error: unknown): Trouble | null => {
  const status = statusOf(error);
  if (status === permissionDenied) return noRights;
  if (status !== unauthenticated) return null;
  return readConnectionString(url).hasCredentials ? wrongPassword : noPassword;
};

/**
 * Looks why calls fail, by name, connection and TLS handshake with each host. Null where all of that works with one of them: then the
 * server itself does not answer calls. `ms`: the longest for a connection, and for a handshake.
 */
export const lookForTrouble = async (url: string, ms = 3_000): Promise<Trouble | null> => {
  const { hosts, tls, options } = readConnectionString(url);
  const found = await Promise.all(
    hosts.map(async (host) => {
      const code = await probeServer(host, { tls, options }, ms);
      return code === null ? null : troubleOf(host, code);
    }),
  );
  if (found.includes(null)) return null;
  return found.find((trouble) => trouble?.isFinal) ?? found[0] ?? null;
};

/** What an error of a call means, looked into where it does not say. */
export const explainTrouble = async (url: string, error: unknown): Promise<Trouble> =>
  refusalIn(url, error) ?? (await lookForTrouble(url)) ?? notReady;
