import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import {
  LeaseLost,
  checkpointOf,
  moveCheckpoint,
  readCheckpoint,
  takeLease,
} from '../../../src/projections/follow/checkpoint.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';

const database = await migratedDatabase();
const client = new Client({ connectionString: database.url });
await client.connect();
afterAll(async () => {
  await client.end();
  await database.drop();
});

const at = (commit: bigint, prepare = commit) => ({ commit, prepare });
const stored = async (name: string) => checkpointOf((await client.query(readCheckpoint, [name])).rows);

test('a checkpoint moves only from where its leader left it, compared as a pair', async () => {
  const { lease, position } = await takeLease(client, 'one');
  expect(position).toBeNull();
  await moveCheckpoint(client, lease, null, at(2n ** 63n + 5n, 7n));
  for (const elsewhere of [null, at(7n), at(2n ** 63n + 5n), at(2n ** 63n + 5n, 6n), at(7n, 2n ** 63n + 5n)])
    await expect(moveCheckpoint(client, lease, elsewhere, at(9n))).rejects.toBeInstanceOf(LeaseLost);
  expect(await stored('one')).toEqual(at(2n ** 63n + 5n, 7n));
});

test('the leader before the present one moves nothing, though it knows the position', async () => {
  const before = await takeLease(client, 'two');
  await moveCheckpoint(client, before.lease, null, at(1n));
  const { lease, position } = await takeLease(client, 'two');
  expect(position).toEqual(at(1n));
  await expect(moveCheckpoint(client, before.lease, at(1n), at(2n))).rejects.toBeInstanceOf(LeaseLost);
  await moveCheckpoint(client, lease, at(1n), at(3n));
  expect(await stored('two')).toEqual(at(3n));
});
