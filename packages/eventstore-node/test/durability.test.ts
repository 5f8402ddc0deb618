import {
  DeadlineExceededError,
  EventStoreDBClient,
  NO_STREAM,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { newStream } from './contract/contract.ts';
import { attempt, happened, refusal, revisions } from './contract/steps.ts';
import type { TestNode } from './support/test-node.ts';
import { startTestNode } from './support/test-node.ts';

/** A node whose commits wait until the test lets them go. */
const withHeldCommits = async (
  story: (held: { node: TestNode; client: EventStoreDBClient; admin: Client }) => Promise<void>,
): Promise<void> => {
  const node = await startTestNode();
  const client = EventStoreDBClient.connectionString(node.url);
  const admin = new Client({ connectionString: node.databaseUrl });
  await attempt(client, newStream(), happened());
  await admin.connect();
  await admin.query('begin; lock table eventstore.events in share mode');
  try {
    await story({ node, client, admin });
  } finally {
    await admin.end();
    await client.dispose();
    await node.close();
  }
};

const waitingWriters = async (admin: Client): Promise<number[]> => {
  const found = await admin.query<{ pid: number }>(
    'select pid from pg_locks where not granted and relation = $1::regclass',
    ['eventstore.events'],
  );
  return found.rows.map(({ pid }) => pid);
};

test('an append is answered only after its commit, and subscribers hear of it only then', () =>
  withHeldCommits(async ({ client, admin }) => {
    const stream = newStream();
    const subscription = client.subscribeToStream(stream);
    const caughtUp = new Promise<void>((resolve) => subscription.once('caughtUp', () => resolve()));
    const signs: string[] = [];
    subscription.on('data', () => void signs.push('delivered'));
    await caughtUp;
    const appended = attempt(client, stream, happened()).then((outcome) => void signs.push(outcome));
    await expect.poll(() => waitingWriters(admin)).toHaveLength(1);
    expect(await refusal(revisions(client, stream))).toBeInstanceOf(StreamNotFoundError);
    expect(signs).toEqual([]);
    await admin.query('commit');
    await appended;
    await expect.poll(() => signs.toSorted()).toEqual(['delivered', 'written 0']);
    await subscription.unsubscribe();
  }));

test('an append whose commit is cut off is answered Timeout, an unknown outcome', () =>
  withHeldCommits(async ({ client, admin }) => {
    const stream = newStream();
    const events = happened();
    const appended = refusal(client.appendToStream(stream, events));
    await expect.poll(() => waitingWriters(admin)).toHaveLength(1);
    const [pid] = await waitingWriters(admin);
    await admin.query('select pg_terminate_backend($1)', [pid]);
    expect(await appended).toBeInstanceOf(DeadlineExceededError);
    await admin.query('commit');
    expect(await attempt(client, stream, events, NO_STREAM)).toBe('written 0');
    expect(await revisions(client, stream)).toEqual([0]);
  }));
