import { readConnectionString } from './connection-string.ts';
import { permissionDenied, statusOf, unauthenticated } from './esdb-errors.ts';
import { probeServer } from './probe-server.ts';
import { noPassword, noRights, notReady, type Trouble, troubleOf, wrongPassword } from './trouble-words.ts';

/** The meaning of a call's error; null for one that is not about user and rights. */
export const refusalIn = (url: string, error: unknown): Trouble | null => {
  const status = statusOf(error);
  if (status === permissionDenied) return noRights;
  if (status !== unauthenticated) return null;
  return readConnectionString(url).credentials !== null ? wrongPassword : noPassword;
};

/**
 * Finds out why calls fail: tests name resolution, connection and TLS handshake with each host. Null when all of that
 * works with one of them: then the server itself does not answer calls. `ms` limits each connection and each handshake.
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

/** The meaning of a call's error; tests the connection if the error does not say. */
export const explainTrouble = async (url: string, error: unknown): Promise<Trouble> =>
  refusalIn(url, error) ?? (await lookForTrouble(url)) ?? notReady;
