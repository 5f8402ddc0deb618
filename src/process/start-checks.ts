import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { normalUrl } from '../common/normal-url.ts';
import { adviceToReach, causeOf } from '../common/server-away.ts';
import { withClient } from '../common/with-client.ts';
import type { Logger } from '../eventstore/logger.ts';
import { DatabaseReadOnly, makeDatabaseGeneration } from '../projections/database/database-generation.ts';
import { refuseLostSessions, SessionsNotKept } from '../projections/database/pooler.ts';

/** A setting is unusable on this machine; the message names it. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** In milliseconds: how long to wait for a server that is still starting. */
export const patienceMs = 30_000;

/** In milliseconds: how often a wait is logged at most. */
export const waitLoggedMs = 5_000;

const cannotStart = (what: string, cause: unknown, advice?: string): CannotStart =>
  new CannotStart(`${what} (${causeOf(cause)})${advice === undefined ? '' : `: ${advice}`}`, { cause });

/** Also for a port that another program takes during the start. */
export const cannotListen = (
  { host, port }: Pick<Config, 'host' | 'port'>,
  error: NodeJS.ErrnoException,
): CannotStart =>
  error.code === 'EADDRINUSE'
    ? new CannotStart(
        `PORT ${port} on ${host} is taken by another program: stop it, or set PORT to another number (0 picks a free one)`,
      )
    : cannotStart(`cannot listen on HOST ${host} with PORT ${port}`, error);

/** Determined before anything starts: links need the port, and a busy port should be reported at once. */
export const freePort = ({ host, port }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen({ host, port }, error)));
    probe.listen({ host, port }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });

/** @throws CannotStart when the configured database cannot be opened; it may hang instead of refusing */
export const reachDatabase = async (
  connectionString: string,
  logger?: Logger,
  patience = patienceMs,
): Promise<void> => {
  const waiting = setInterval(
    () =>
      logger?.warn(
        { seconds: patience / 1000 },
        'the server of DATABASE_URL does not answer; waiting for it',
      ),
    waitLoggedMs,
  );
  try {
    const config = { connectionString, connectionTimeoutMillis: patience };
    await withClient(config, (client) => makeDatabaseGeneration().meet(client));
    await refuseLostSessions(config);
  } catch (error) {
    if (error instanceof DatabaseReadOnly) throw new CannotStart(readOnly, { cause: error });
    if (error instanceof SessionsNotKept) throw new CannotStart(error.message, { cause: error });
    const advice = adviceToReach(causeOf(error));
    throw cannotStart('the server of DATABASE_URL cannot be reached', error, advice);
  } finally {
    clearInterval(waiting);
  }
};

/** What is asked before an empty database is migrated: of a log that is embedded, the folder says the format. @throws UnreleasedLog */
export const refuseUnreleasedLog = (eventStoreUrl: string | null) => async (): Promise<void> => {
  if (eventStoreUrl === null) return;
  const { refuseUnreleased } = await import('../eventstore/server/refuse-unreleased.ts');
  await refuseUnreleased(eventStoreUrl);
};

const readOnly =
  'the server of DATABASE_URL is read-only: it is a standby, or default_transaction_read_only is on. Let DATABASE_URL lead to the server that accepts writes';

/** Waits for work that may never end, unless the process is asked to stop. */
export const unlessStopped = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('asked to stop'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

export const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Where a local browser reaches a server, also one that listens on every address. */
export const addressAt = (host: string, port: number): string =>
  normalUrl(`http://${isAnyAddress(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`);
