import { pause } from '../common/backoff.ts';
import { type AppendProbe, type EventStore, RightMissing } from '../eventstore/event-store.ts';
import type { Logger } from '../eventstore/logger.ts';
import { askAgainMs, freshLeaderMs, lastingMissingRights } from '../eventstore/server/lasting-rights.ts';
import { neededByRequests } from '../eventstore/server/rights-of-account.ts';
import { readServerFacts } from '../eventstore/server/server-version.ts';
import { explainTrouble, lookForTrouble, userOf } from '../eventstore/server/trouble.ts';
import { notForProduction, noRights, sentenceOf, type Trouble } from '../eventstore/server/trouble-words.ts';
import type { Federation } from '../federation/federation.ts';
import type { KeyKeeping } from '../personal/key-keeping.ts';
import { MasterKeyMissing } from '../personal/wrapped-key.ts';
import { describeMismatch, type LogMismatch } from '../projections/log-guard/compare-with-log.ts';
import { CannotStart, patienceMs, waitLoggedMs } from './start-checks.ts';

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
  patience = patienceMs,
): Promise<void> => {
  const deadline = Date.now() + patience;
  let denied: number | null = null;
  let saidAt = -Infinity;
  const judge = (trouble: Trouble | null): void => {
    if (!trouble) return;
    const sentence = sentenceOf(trouble);
    if (trouble.isFinal || Date.now() > deadline) throw new CannotStart(sentence);
    if (Date.now() - saidAt < waitLoggedMs) return;
    logger.warn({ seconds: patience / 1000 }, `${sentence}; waiting for it`);
    saidAt = Date.now();
  };
  judge(await lookForTrouble(url));
  for (;;) {
    try {
      await store.head();
      if (isProduction && (await readServerFacts(url, waitLoggedMs)).embedded === 'usual')
        judge(notForProduction);
      return await checkRights({ store, url, logger });
    } catch (error) {
      if (error instanceof CannotStart) throw error;
      signal.throwIfAborted();
      if (error instanceof RightMissing) denied ??= Date.now();
      if (denied === null || Date.now() >= denied + freshLeaderMs) judge(await explainTrouble(url, error));
    }
    await pause(denied === null ? 100 : askAgainMs, signal);
  }
};

/** @throws CannotStart when the account lacks a right that requests need; other missing rights are logged */
const checkRights = async ({ store, url, logger }: EventStoreDependencies): Promise<void> => {
  const missing = await lastingMissingRights(store);
  if (missing.length === 0) return;
  const sentence = sentenceOf(noRights(missing, userOf(url)));
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
