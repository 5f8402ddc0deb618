import { afterAll, expect, test } from 'vitest';
import { accountPerson } from '../../src/domain/personal-data.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { startTestServers } from '../support/test-servers.ts';
import { backUp, forget, makeAddon, makeCast, restore, run } from './running.ts';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';
import { databaseRenamed, databaseRestarted, serverKilled } from '../support/trouble/server-killed.ts';

const { node, database } = await startTestServers();
const wire = await startTcpProxy(node.port);
const stores = { databaseUrl: database.url, eventStoreUrl: wire.url };
let running = await run(stores);
const copies: string[] = [];

/** Stops for it: nobody is connected to what is copied. */
const backedUp = async (): Promise<string> => {
  await running.settled();
  await running.stop();
  const copy = await backUp(database.url);
  copies.push(copy);
  running = await run(stores);
  await running.workers.ready;
  return copy;
};

afterAll(async () => {
  await running.stop();
  for (const copy of copies) await forget(copy);
  await wire.close();
});
await running.workers.ready;
const cast = await makeCast(running.core);

test('an older backup behind a running service: no token is accepted until its fence has caught up (P1, RS-02)', async () => {
  allowTrouble(...serverKilled, ...databaseRenamed);
  expectTrouble(databaseRestarted);
  const [ended, lives] = [await makeAddon(running.core, cast), await makeAddon(running.core, cast)];
  await expect.poll(() => running.list(ended.token)).toBe(200);
  const copy = await backedUp();
  await running.core.commands.deactivateAddon(ended);
  expect(await running.list(ended.token)).toBe(401);

  const { keys } = running.core.personal;
  const { keyId } = await keys.of(accountPerson('LATER'));
  expect((await keys.of(accountPerson('LATER'))).keyId).toBe(keyId);

  wire.freeze(); // nothing can catch up
  await restore(database.url, copy);
  const answers = new Set<number>();
  for (let i = 0; i < 20; i++) {
    answers.add(await running.list(ended.token));
    answers.add(await running.list(lives.token));
  }
  expect([...answers]).toEqual([503]);
  expect(running.workers.trusted()).toBe(false);
  expect((await keys.of(accountPerson('LATER'))).keyId, 'a key that is not in the backup').not.toBe(keyId);
  expect(
    running.lines.filter(
      ({ alarm, msg }) => alarm && msg.startsWith('DATABASE_URL leads to another database'),
    ),
  ).toHaveLength(1);

  wire.cut();
  await expect.poll(() => running.list(lives.token)).toBe(200);
  expect(await running.list(ended.token)).toBe(401);
  expect(running.workers.trusted()).toBe(true);
});

test('an older backup at start: the same, before anything was ever trusted (RS-02)', async () => {
  const ended = await makeAddon(running.core, cast);
  const copy = await backedUp();
  await running.core.commands.deactivateAddon(ended);
  await running.stop();
  await restore(database.url, copy);
  wire.freeze();
  running = await run(stores);
  expect(await running.list(ended.token)).toBe(503);
  wire.cut();
  await running.workers.ready;
  expect(await running.list(ended.token)).toBe(401);
});
