import { connectEventStore } from '../../eventstore/client/esdb.ts';
import type { AppendProbe, EventStore, LogReader, LogSubscriptions } from '../../eventstore/event-store.ts';
import { silent } from '../../eventstore/logger.ts';
import {
  judgeServer,
  supportedServers,
  readServerFacts,
  type ServerFacts,
} from '../../eventstore/server/server-version.ts';
import { commandTimeouts } from '../../eventstore/client/timeouts.ts';
import { lastingMissingRights } from '../../eventstore/server/lasting-rights.ts';
import {
  everyRight,
  neededByRequests,
  type Right,
  rights as rightsOf,
} from '../../eventstore/server/rights-of-account.ts';
import { explainTrouble, userOf } from '../../eventstore/server/trouble.ts';
import { noRights, notForProduction } from '../../eventstore/server/trouble-words.ts';
import { makePersonalData } from '../../personal/personal-data.ts';
import {
  callMs,
  failure,
  CheckNotPossible,
  ok,
  once,
  slowly,
  warning,
  type Finding,
  type Check,
} from './finding.ts';

export type Log = EventStore & LogSubscriptions & LogReader & AppendProbe;

/** Lends a connection for one check, if the event store is usable. @throws CheckNotPossible */
export type WithLog = <T>(use: (log: Log) => Promise<T>) => Promise<T>;

/** Checks of the event store itself. A connection problem is found once, for all checks that need it. */
export const eventStoreChecks = (
  url: string,
  isProduction: boolean,
): { readonly checks: readonly Check[]; readonly withLog: WithLog } => {
  const facts = once(async () => {
    const asked = performance.now();
    const read = await readServerFacts(url, callMs).catch(tell(url));
    return { ...read, ms: performance.now() - asked };
  });
  const lend = async <T>(use: (log: Log) => Promise<T>): Promise<T> => {
    const log = connectEventStore({ url, logger: silent, personal: withoutKeys, timeouts });
    try {
      return await use(log);
    } finally {
      await log.close();
    }
  };
  const rights = once(async () => {
    await facts();
    const missing = await lend((log) => lastingMissingRights(log)).catch(tell(url));
    const finding = judgeRights(missing, userOf(url));
    if (finding.advice !== null && missing.some((right) => neededByRequests.includes(right)))
      throw new CheckNotPossible(finding.found, finding.advice, true);
    return finding;
  });
  return {
    checks: [
      {
        check,
        run: async () => {
          const { ms, ...read } = await facts();
          return slowly(judgeVersion(read, Date.now(), isProduction), ms);
        },
      },
      { check: `account at the ${check}`, run: rights },
    ],
    async withLog(use) {
      await rights();
      return lend(use);
    },
  };
};

/** Checks need no personal data: events are decoded as if all keys were deleted, which works without the database. */
const withoutKeys = makePersonalData({
  of: () => Promise.reject(new Error('the doctor stores nothing about a person')),
  byId: (keyId) => Promise.resolve({ keyId, key: null }),
});

const check = 'event store';
const timeouts = { ...commandTimeouts, readMs: callMs };

const tell =
  (url: string) =>
  async (error: unknown): Promise<never> => {
    const { found, advice } = await explainTrouble(url, error, callMs);
    throw new CheckNotPossible(found, advice, true);
  };

/** @param user its name; null: EVENTSTORE_URL has none */
export const judgeRights = (missing: readonly Right[], user: string | null): Finding => {
  const named = (some: readonly Right[]) => some.map((right) => rightsOf[right].name).join(', ');
  const account = `account at the ${check}`;
  if (missing.length === 0) return ok(account, `has all required rights: ${named(everyRight)}`);
  const { found, advice } = noRights(missing, user);
  return failure(account, user === null ? `the event store ${found}` : `may not: ${named(missing)}`, advice);
};

/** The embedded node needs no upgrade of its own, whatever version it answers with. */
export const judgeVersion = (
  { version, embedded }: ServerFacts,
  now: number,
  isProduction = false,
): Finding => {
  const { name, kind, since } = judgeServer(version, now);
  if (embedded === 'usual' && isProduction)
    return failure(check, notForProduction.found, notForProduction.advice);
  if (embedded) return ok(check, `the embedded node, which answers as ${name}`);
  if (kind === 'unknown')
    return warning(check, 'it does not say its version', `make sure that it is ${supportedServers}`);
  if (kind === 'too-old') return failure(check, name, `use ${supportedServers}`);
  return kind === 'supported'
    ? ok(check, name)
    : warning(
        check,
        `${name}: without regular support since ${since}`,
        'upgrade to KurrentDB 26.0, node by node, following its manual',
      );
};
