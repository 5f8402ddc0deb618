import type { TokenKeys } from '../commands/credentials/token-keys.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import {
  missingKeyEvents,
  type KeyInUse,
  type SigningKeyHistory,
} from '../domain/log/signing-key-history.ts';
import type { EventMetadata } from '../eventstore/event-store.ts';
import type { Logger } from '../projections/database/pipelined-reader.ts';
import type { KeyLog } from './key-log.ts';
import type { KeyTable } from './key-table.ts';
import { jwkText } from './public-jwk.ts';
import { supersededAt, type StoredKey } from './signing-key.ts';
import { judgeRows, rowMac, type JudgedRows } from './trusted-rows.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** The trusted signing keys of all instances (written by a holder of the token keys), and their history in the log. */
export type KeyStore = {
  load(): Promise<LoadedKeys>;
  /**
   * Adds the key that `take` returns for the existing ones, if any, in the log before the database. It is generated ahead
   * of that: the table is locked meanwhile, and a busy machine takes seconds. @returns whether it was added
   */
  add(take: (all: readonly StoredKey[]) => StoredKey | null, metadata?: EventMetadata): Promise<boolean>;
  /** Updates the log to match the database, and adds a MAC under the current token key to every row without one. */
  keep(): Promise<void>;
};

export type LoadedKeys = JudgedRows & { readonly history: SigningKeyHistory };

export type KeyStoreDependencies = {
  readonly table: KeyTable;
  readonly log: KeyLog;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
  readonly logger: Logger;
};

export const makeKeyStore = ({ table, log, keys, now, logger }: KeyStoreDependencies): KeyStore => {
  const said = new Set<string>();
  const judge = async (history: SigningKeyHistory): Promise<LoadedKeys> => {
    const judged = await judgeRows(keys, await table.all(), history);
    for (const { kid, why } of judged.untrusted)
      if (!said.has(kid) && said.size < mostSaid && said.add(kid))
        logger.error(
          { kid, why },
          'a row of signing_keys was not written by a holder of TOKEN_KEYS; not published',
        );
    return { ...judged, history };
  };
  // The log is read first: for every key that it says was published, the database then has a row.
  const load = async () => judge(await log.read());
  const keep = async (): Promise<void> => {
    await log.record(async (history) => {
      const { trusted, present } = await judge(history);
      return missingKeyEvents(history, inUse(trusted, now()), present, now());
    });
    for (const key of (await load()).unsigned) {
      const mac = rowMac(keys, keys.current, key);
      if (mac !== null) await table.addMac(key.kid, keys.current, mac);
    }
  };
  return {
    load,
    keep,
    async add(take, metadata) {
      const isAdded = await table.add(async (rows) => {
        const key = take((await judgeRows(keys, rows, await log.read())).trusted);
        const mac = key && rowMac(keys, key.tokenKeyId, key);
        if (!key || mac === null) return null;
        const { kid, publicJwk, createdAt, currentFrom } = key;
        const data = {
          kid,
          alg: publicJwk.alg,
          publicJwk: jwkText(publicJwk),
          createdAt,
          currentFrom,
          at: createdAt,
        };
        await log.record(() => Promise.resolve([{ type: 'SigningKeyMade', data }]), metadata);
        return { key, mac };
      });
      // If this fails, the next `keep` records it.
      await keep().catch((err: unknown) =>
        logger.warn({ err }, 'the log does not say yet that a signing key was published'),
      );
      return isAdded;
    },
  };
};

/** Limits the log entries if somebody writes thousands of rows. */
const mostSaid = 100;

const inUse = (trusted: readonly StoredKey[], now: Instant): readonly KeyInUse[] =>
  trusted.map((key) => ({
    kid: key.kid,
    alg: key.publicJwk.alg,
    publicJwk: jwkText(key.publicJwk),
    createdAt: key.createdAt,
    currentFrom: key.currentFrom,
    superseded: supersededAt(key, trusted, now),
  }));

/** As often as an instance checks for keys of others. */
const every = 30_000;

/** Records changes of the signing keys in the log, on each instance: the expected revision accepts one of the same. */
export const startKeepingKeys = ({ keep }: Pick<KeyStore, 'keep'>, logger: Logger) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await keep().catch((err: unknown) =>
        logger.warn({ err }, 'changes of the signing keys could not be recorded; retrying'),
      );
      await delay(every, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
};
