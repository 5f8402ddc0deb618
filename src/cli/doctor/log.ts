import { amount } from '../base/answer.ts';
import type pg from 'pg';
import { newestHead } from '../../audit/log-heads/read-heads.ts';
import { eventTypesByCheckpoint } from '../../compose/event-types-by-checkpoint.ts';
import type { EventType } from '../../domain/events.ts';
import { checkpointOf, readCheckpoint, type CheckpointRow } from '../../projections/follow/checkpoint.ts';
import { describeMismatch, findMismatch } from '../../projections/log-guard/compare-with-log.ts';
import { countBacklog, type Backlog } from '../../projections/operations/count-backlog.ts';
import { withTables } from './database.ts';
import type { Log, WithLog } from './event-store.ts';
import { failure, ok, warning, type Finding, type Check } from './finding.ts';

export type LogDependencies = {
  readonly databaseUrl: string;
  readonly withKafka: boolean;
  /** In seconds: the interval between signed heads of the log. */
  readonly headInterval: number;
  /** Whether no service is running: then nobody catches up or signs, and the service check reports the reason. */
  readonly isStopped: () => Promise<boolean>;
};

/** Checks of the log and of what the database should have of it. */
export const logChecks = (
  { databaseUrl, withKafka, headInterval, isStopped }: LogDependencies,
  withLog: WithLog,
): readonly Check[] => {
  const withBoth = <T>(use: (log: Log, client: pg.Client) => Promise<T>) =>
    withTables(databaseUrl, (client) => withLog((log) => use(log, client)));
  const unlessStopped = async (finding: Finding): Promise<Finding> =>
    finding.state !== 'ok' && (await isStopped())
      ? ok(finding.check, `${finding.found}: the service is stopped`)
      : finding;
  return [
    { check: 'log and database', run: () => withBoth(compare) },
    {
      check: 'signed head of the log',
      run: () => withLog(async (log) => unlessStopped(await checkHead(log, headInterval))),
    },
    ...groupsOf(withKafka).map((group) => ({
      check: `lag of ${group.name}`,
      run: () => withBoth(async (log, client) => unlessStopped(await checkLag(group, log, client))),
    })),
  ];
};

const readerOf = (client: pg.Client) => ({
  query: async <R extends pg.QueryResultRow>(
    { text }: { readonly text: string },
    values: readonly unknown[],
  ) => (await client.query<R>(text, [...values])).rows,
});

const compare = async (log: Log, client: pg.Client): Promise<Finding> => {
  const check = 'log and database';
  const mismatch = await findMismatch({ log, reader: readerOf(client) }, 0);
  if (mismatch === null) return ok(check, 'the log has all events from which the database was built');
  return failure(
    check,
    describeMismatch(mismatch),
    mismatch === 'unreleased'
      ? 'do not start any instance with this event store'
      : 'do not start any instance; follow docs/how-to/back-up-and-restore.md, "The event store was restored from an older backup"',
  );
};

type Group = { readonly name: string; readonly eventTypes: readonly EventType[] };

const groupsOf = (withKafka: boolean): readonly Group[] =>
  Object.entries(eventTypesByCheckpoint(withKafka)).map(([name, eventTypes]) => ({ name, eventTypes }));

const checkLag = async ({ name, eventTypes }: Group, log: Log, client: pg.Client): Promise<Finding> => {
  const { rows } = await client.query<CheckpointRow>(readCheckpoint.text, [name]);
  const backlog = await countBacklog(log, checkpointOf(rows), { most: 10_000, ms: 5_000, eventTypes });
  return judgeLag(`lag of ${name}`, backlog, Date.now());
};

const checkHead = async (log: Log, interval: number): Promise<Finding> => {
  const head = await newestHead(log);
  const begun = head === null ? await firstStoredAt(log) : null;
  return judgeHead({ signedAt: head?.at ?? null, begun, interval }, Date.now());
};

const firstStoredAt = async (log: Log): Promise<number | null> => {
  for await (const { created } of log.readLog({ after: null, signal: new AbortController().signal }))
    return created;
  return null;
};

type HeadFacts = {
  readonly signedAt: number | null;
  /** When the log stored its first event, if there is no head yet. */
  readonly begun: number | null;
  readonly interval: number;
};

export const judgeHead = ({ signedAt, begun, interval }: HeadFacts, now: number): Finding => {
  const check = 'signed head of the log';
  const minutes = Math.max(0, Math.floor((now - (signedAt ?? begun ?? now)) / 60_000));
  const found =
    signedAt === null
      ? `none yet, the first event is ${minutes} min old`
      : `the newest is ${minutes} min old`;
  return minutes * 60 <= 2 * interval
    ? ok(check, found)
    : warning(
        check,
        found,
        'check that log-heads has a leader, and the log of that instance (docs/how-to/operations.md, "No head of the log is signed")',
      );
};

export const judgeLag = (check: string, { events, oldest, isAll }: Backlog, now: number): Finding => {
  if (events === 0)
    return isAll
      ? ok(check, 'none')
      : warning(check, 'could not be determined in time', 'run `grantbook doctor` again');
  const seconds = Math.max(0, Math.round((now - (oldest ?? now)) / 1000));
  const found = `${isAll ? '' : 'more than '}${amount(events, 'event')}, the oldest for ${seconds} s`;
  if (seconds < 10) return ok(check, found);
  const advice =
    'check that there is a leader, and its log (docs/how-to/operations.md, "The read models are behind")';
  return seconds < 300 ? warning(check, found, advice) : failure(check, found, advice);
};
