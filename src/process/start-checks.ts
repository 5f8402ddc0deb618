import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { pause } from '../common/backoff.ts';
import { withClient } from '../common/with-client.ts';
import type { AppendProbe, EventStore } from '../eventstore/event-store.ts';
import type { Logger } from '../eventstore/logger.ts';
import { everyRight, neededByRequests } from '../eventstore/server/rights-of-account.ts';
import { readServerFacts } from '../eventstore/server/server-version.ts';
import { explainTrouble, lookForTrouble, userOf } from '../eventstore/server/trouble.ts';
import { notForProduction, noRights, sentenceOf, type Trouble } from '../eventstore/server/trouble-words.ts';
import { DatabaseReadOnly, makeDatabaseGeneration } from '../projections/database/database-generation.ts';
import type { Federation } from '../federation/federation.ts';
import type { KeyKeeping } from '../personal/key-keeping.ts';
import { MasterKeyMissing } from '../personal/wrapped-key.ts';
import { describeMismatch, type LogMismatch } from '../projections/log-guard/compare-with-log.ts';

/** A setting is unusable on this machine; the message names it. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** In milliseconds: how long to wait for a server that is still starting. */
const PATIENCE = 30_000;

/** In milliseconds: how often a wait is logged at most. */
const everyMs = 5_000;

const cannotStart = (what: string, cause: unknown): CannotStart =>
  new CannotStart(`${what} (${(cause as { readonly code?: string }).code ?? 'no answer'})`, { cause });

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
  patience = PATIENCE,
): Promise<void> => {
  const waiting = setInterval(
    () =>
      logger?.warn(
        { seconds: patience / 1000 },
        'the server of DATABASE_URL does not answer; waiting for it',
      ),
    everyMs,
  );
  try {
    await withClient({ connectionString, connectionTimeoutMillis: patience }, (client) =>
      makeDatabaseGeneration().meet(client),
    );
  } catch (error) {
    if (error instanceof DatabaseReadOnly) throw new CannotStart(readOnly, { cause: error });
    throw cannotStart('the server of DATABASE_URL cannot be reached', error);
  } finally {
    clearInterval(waiting);
  }
};

const readOnly =
  'the server of DATABASE_URL is read-only: it is a standby, or default_transaction_read_only is on. Let DATABASE_URL lead to the server that accepts writes';

type EventStoreDependencies = {
  readonly store: Pick<EventStore, 'head'> & Pick<AppendProbe, 'missingRights'>;
  readonly url: string;
  readonly logger: Logger;
  readonly isProduction?: boolean;
};

/** Why the event store cannot be used, at once; waits only for what may pass by itself. @throws CannotStart */
export const reachEventStore = async (
  { store, url, logger, isProduction = false }: EventStoreDependencies,
  signal: AbortSignal,
  patience = PATIENCE,
): Promise<void> => {
  const deadline = Date.now() + patience;
  let saidAt = -Infinity;
  const judge = (trouble: Trouble | null): void => {
    if (!trouble) return;
    const sentence = sentenceOf(trouble);
    if (trouble.isFinal || Date.now() > deadline) throw new CannotStart(sentence);
    if (Date.now() - saidAt < everyMs) return;
    logger.warn({ seconds: patience / 1000 }, `${sentence}; waiting for it`);
    saidAt = Date.now();
  };
  judge(await lookForTrouble(url));
  for (;;) {
    try {
      await store.head();
      if (isProduction && (await readServerFacts(url, everyMs)).embedded === 'usual') judge(notForProduction);
      return await checkRights({ store, url, logger });
    } catch (error) {
      if (error instanceof CannotStart) throw error;
      signal.throwIfAborted();
      judge(await explainTrouble(url, error));
    }
    await pause(100, signal);
  }
};

/** @throws CannotStart when the account lacks a right that requests need; other missing rights are logged */
const checkRights = async ({ store, url, logger }: EventStoreDependencies): Promise<void> => {
  const missing = await store.missingRights(everyRight);
  if (missing.length === 0) return;
  const sentence = sentenceOf(noRights(missing, userOf(url) ?? undefined));
  if (missing.some((right) => neededByRequests.includes(right))) throw new CannotStart(sentence);
  logger.warn({ missing }, sentence);
};

/** @throws CannotStart when PERSONAL_DATA_KEYS does not decrypt the stored keys */
export const openPersonalKeys = async (keeping: Pick<KeyKeeping, 'check'>): Promise<void> => {
  try {
    await keeping.check();
  } catch (error) {
    throw error instanceof MasterKeyMissing ? new CannotStart(error.message, { cause: error }) : error;
  }
};

/** In milliseconds: a follower node may be behind its leader for a moment. */
const logPatience = 3_000;

type ComparedLog = { readonly logMismatch: (patienceMs: number) => Promise<LogMismatch | null> };

/** @throws CannotStart when the log lacks events of the tables: decisions on it would be wrong */
export const refuseOlderLog = async ({ logMismatch }: ComparedLog): Promise<void> => {
  const mismatch = await logMismatch(logPatience);
  if (mismatch) throw new CannotStart(describeMismatch(mismatch));
};

type AskedProviders = Pick<Federation, 'status'>;

/** Says at the start which sign-in providers cannot be used. The service starts all the same: they may be away for now. */
export const reportProviders = async (federation: AskedProviders, logger: Logger): Promise<void> => {
  for (const { id, state, detail } of await federation.status())
    if (state !== 'ok')
      logger.warn({ provider: id, found: state, detail }, 'users cannot sign in with a provider');
};

/** Waits for work that may never end, unless the process is asked to stop. */
export const unlessStopped = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('asked to stop'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

export const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** The host under which a local browser reaches a server that listens on every address. */
export const hostInUrl = (host: string): string =>
  isAnyAddress(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
