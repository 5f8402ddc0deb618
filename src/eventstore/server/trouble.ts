import { causeOf } from '../../common/server-away.ts';
import { NoAnswer } from '../../common/with-timeout.ts';
import { EventStoreUnavailable, RightMissing } from '../event-store.ts';
import { fileOption, readConnectionString } from './connection-string.ts';
import { statusOf, unauthenticated } from '../client/esdb-errors.ts';
import { probeServer } from './probe-server.ts';
import { noRights, notReady, type Trouble, troubleOf, wrongPassword } from './trouble-words.ts';

/** The meaning of a call's error; null for one that is not about user and rights. */
export const refusalIn = (url: string, error: unknown): Trouble | null => {
  const status = statusOf(error);
  if (status === undefined) return null;
  const user = userOf(url);
  if (status === unauthenticated && user !== null) return wrongPassword;
  return noRights(error instanceof RightMissing ? [error.right] : [], user);
};

/** Null for a call without a user, which a server with TLS answers as if a right was missing. */
export const userOf = (url: string): string | null => {
  const { credentials, options } = readConnectionString(url);
  if (credentials === null) return options.has('usercertfile') ? 'of userCertFile' : null;
  return decodeURIComponent(credentials.split(':')[0] ?? '');
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
      return code === null ? null : troubleOf(host, code, fileOption(options, 'tlscafile'));
    }),
  );
  if (found.includes(null)) return null;
  return found.find((trouble) => trouble?.isFinal) ?? found[0] ?? null;
};

/** The meaning of a call's error; tests the connection if the error does not say. */
export const explainTrouble = async (url: string, error: unknown, ms?: number): Promise<Trouble> =>
  refusalIn(url, error) ??
  (await lookForTrouble(url, ms)) ??
  notReady(readConnectionString(url).hosts, isOurs(error) ? error.message : causeOf(error));

/** Messages of libraries may hold a password. */
const isOurs = (error: unknown): error is Error =>
  error instanceof NoAnswer || error instanceof EventStoreUnavailable;
