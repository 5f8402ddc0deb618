import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { addonStream, grantStream } from '../../src/domain/streams.ts';
import { liveReadModels } from '../../src/projections/follow/checkpoint.ts';
import { noteEventTypes } from '../../src/projections/follow/checkpoint-event-types.ts';
import { historyGroup } from '../../src/projections/history/history.ts';
import { makeAddon, makeCast, run, type Running } from '../operations/running.ts';
import { refreshWith } from '../support/scenes/http-scene.ts';
import { valueOf } from '../support/outcomes.ts';
import { startTestServers } from '../support/test-servers.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

allowTrouble(/GrantFrozen/, /of a newer version/);

const startScene = async () => {
  const { node, stores } = await startTestServers(onTestFinished);
  const running = await run(stores);
  const client = EventStoreDBClient.connectionString(node.url);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= running.stop());
  onTestFinished(async () => {
    await stop();
    await client.dispose();
  });
  await running.workers.ready;
  const append = (
    stream: string,
    type: string,
    metadata: object,
    data: object = { note: 'of a newer version' },
  ) => client.appendToStream(stream, jsonEvent({ type, data: data as never, metadata: metadata as never }));
  const cast = await makeCast(running.core);
  return { running, stop, stores, append, cast };
};

type Cast = Awaited<ReturnType<typeof makeCast>>;

const connect = async ({ core }: Running, cast: Cast) => {
  const { token, refreshToken, addonId } = await makeAddon(core, cast);
  const grantId = core.commands.verifyAccessToken(token)?.grantId ?? '';
  return { token, refreshToken, addonId, grantId };
};

const refresh = async (
  { app }: Running,
  { addonId, refreshToken }: Record<'addonId' | 'refreshToken', string>,
) => (await refreshWith({ app } as never, { clientId: addonId }, refreshToken)).statusCode;

test('FX-39: an event of a newer version that must be known holds its own stream only', async () => {
  const { running, stores, append, cast } = await startScene();
  const [other, frozen] = [await connect(running, cast), await connect(running, cast)];
  await append(grantStream(frozen.grantId), 'GrantFrozen', { version: 1 });
  const fresh = await run(stores); // nothing of it is cached
  onTestFinished(() => fresh.stop());
  await fresh.workers.ready;
  for (const instance of [running, fresh]) {
    expect(await refresh(instance, frozen)).toBe(400);
    expect(await refresh(instance, other)).toBe(200);
    expect(await instance.list(other.token)).toBe(200);
  }
  const alarms = [...running.lines, ...fresh.lines].filter(({ alarm }) => alarm);
  expect(alarms.filter(({ msg }) => !msg.includes('GrantFrozen'))).toEqual([]);
});

test('FX-39: after a rollback, leaders pass over the newer events that may be skipped, note what tables lack, and stop when a newer instance starts', async () => {
  const { running, stores, append, cast } = await startScene();
  const { core, settled } = { core: running.core, settled: () => running.settled() };
  const { addonId, token } = await connect(running, cast);
  await settled();
  const pool = new pg.Pool({ connectionString: stores.databaseUrl });
  onTestFinished(() => pool.end());
  const groups = [liveReadModels, historyGroup];
  const newerStarts = () =>
    noteEventTypes(pool, Object.fromEntries(groups.map((group) => [group, ['NoteWritten', 'AddonFrozen']])));
  const passing = async () => {
    const { rows } = await pool.query<{ text: string }>(
      `select concat_ws(' ', checkpoint, event_type, passing, missing_since is not null) as text
         from checkpoint_event_types where missing_since is not null order by checkpoint`,
    );
    return rows.map(({ text }) => text);
  };
  await newerStarts();
  for (let index = 0; index < 3; index += 1)
    await append(addonStream(addonId), 'NoteWritten', { version: 1, maySkip: true });
  valueOf(await core.commands.createOrganization({ name: 'After the notes' }));
  await settled();
  expect(await running.list(token)).toBe(200);
  expect(
    (await core.readModels.organizations(null, { after: null, limit: 50 })).rows.map(({ name }) => name),
  ).toContain('After the notes');
  expect(await passing()).toEqual(groups.map((group) => `${group} NoteWritten t t`));
  const { entries } = await core.audit.timeline.page({ about: { kind: 'addon', id: addonId }, limit: 50 });
  expect(entries.filter(({ type }) => type === 'NoteWritten')).toHaveLength(3);
  await newerStarts();
  expect(await passing()).toEqual(groups.map((group) => `${group} NoteWritten f t`));
  const before = running.lines.length;
  /** The groups of which it has been said since then; it is said again every five seconds. */
  const waiting = (which: string) =>
    running.lines.slice(before).flatMap(({ msg, checkpoint = '' }) => {
      const isSaid = msg.startsWith(`stands by: the next event is of a newer version, ${which}`);
      return isSaid ? [checkpoint] : [];
    });
  await append(addonStream(addonId), 'NoteWritten', { version: 1, maySkip: true });
  await expect.poll(() => waiting('which may')).toEqual(expect.arrayContaining(groups));
  await append(addonStream(addonId), 'AddonFrozen', { version: 1 });
  await expect.poll(() => waiting('and only')).toEqual(expect.arrayContaining(groups));
});
