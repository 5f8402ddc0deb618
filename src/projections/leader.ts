import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Position } from '../eventstore/event-store.ts';
import { LeaseLost, takeLease, type Lease } from './checkpoint.ts';
import type { Logger } from './read-lane.ts';

export type Term = {
  readonly lease: Lease;
  /** Where the checkpoint stands. */
  readonly position: Position | null;
  /** The connection that holds the lock: what is written through it is written by the leader. */
  readonly client: Client;
  /** Aborted when the connection is lost, and when this instance stops. */
  readonly signal: AbortSignal;
};

export type LeaderNeeds = {
  readonly databaseUrl: string;
  /** Of the checkpoint; one leader each. */
  readonly name: string;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** How often a standby asks for the lock. */
  readonly pollMs: number;
  /** Leads until it returns or throws; after either, the lock is given up and asked for again. */
  readonly term: (term: Term) => Promise<void>;
  /** A term ended, or could not begin, by an exception. Answers how long to wait, or null to stop for good. */
  readonly failed: (error: unknown) => number | null;
};

/** Stands by for leadership and leads, again and again, until `signal` is aborted. Never rejects. */
export const lead = async (needs: LeaderNeeds): Promise<void> => {
  while (!needs.signal.aborted) {
    const pause = await oneTerm(needs).catch((error: unknown) =>
      error instanceof LeaseLost ? steppedDown(needs, error) : needs.failed(error),
    );
    if (pause === null) return;
    await sleep(pause, needs.signal);
  }
};

const steppedDown = ({ logger, name, pollMs }: LeaderNeeds, error: LeaseLost): number => {
  logger.warn({ err: error, checkpoint: name }, 'stepped down: another one leads');
  return pollMs;
};

/** Waits for the lock on a connection of its own and leads while that connection lives. */
const oneTerm = async (needs: LeaderNeeds): Promise<number> => {
  const { databaseUrl, name, logger, signal, pollMs, term } = needs;
  const ended = new AbortController();
  const client = new Client({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', (error) => {
    logger.warn({ err: error, checkpoint: name }, 'the connection of a leader or standby was lost');
    ended.abort(error);
  });
  client.on('end', () => ended.abort());
  await client.connect();
  try {
    while (!(await tryLock(client, name))) {
      await sleep(pollMs, signal);
      if (signal.aborted) return 0;
    }
    const { lease, position } = await takeLease(client, name);
    await term({ lease, position, client, signal: AbortSignal.any([signal, ended.signal]) });
  } finally {
    await client.end();
  }
  return pollMs;
};

/** A session lock: the server gives it back when the connection ends, however it ends. */
const tryLock = async (client: Client, name: string): Promise<boolean> => {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('grantbook leader ' || $1, 0)) as locked`,
    [name],
  );
  return rows[0]?.locked === true;
};

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
