import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import type { RawEvent } from '#log-copy';
import { verifyHead } from '#verify';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newestCopy } from '../../src/audit/log-copies/log-copy.ts';
import { readConfig } from '../../src/config/config.ts';
import { logCopyStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { openRawLog } from '../../src/eventstore/client/raw-log.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { startService } from '../../src/process/service.ts';
import { runBeside } from '../cli/live-service.ts';
import type { Ran } from '../cli/run-grantbook.ts';
import { dumpTables } from '../support/log/read-models.ts';
import { valueOf } from '../support/outcomes.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { startTestServers } from '../support/test-servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeAddon, makeCast, run, settingsFor, type Cast, type Running } from './running.ts';
import { words } from '../support/words.ts';
import { query } from '../support/query.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

/** A pilot's log, brought from one server to another as the runbook says (docs/how-to/copy-the-log.md). */

const folder = temporaryFolder();
const kept = join(folder, 'head.json');
const exported = join(folder, 'export.ndjson');
const signal = new AbortController().signal;
const { node: source, database } = await startTestServers();
let cast: Cast;
let addons: Record<'lives' | 'ended', Awaited<ReturnType<typeof makeAddon>>>;
let before: Record<string, unknown>;

const storesOf = (node: Pick<TestNode, 'url'>, of: Pick<TestDatabase, 'url'>) => ({
  databaseUrl: of.url,
  eventStoreUrl: node.url,
});
const envOf = (node: Pick<TestNode, 'url'>, of: Pick<TestDatabase, 'url'>) => ({
  PATH: process.env['PATH'],
  DATA_DIR: folder,
  ...settingsFor(storesOf(node, of)),
});
const copy = (target: Pick<TestNode, 'url'>, from = source): Promise<Ran> =>
  runBeside(envOf(from, database), ['log', 'copy', '--to', target.url, '--json']);
const errorOf = ({ json }: Ran) => json['error'] as { code: string; message: string };

/** What is the service's, as bytes, without what each server gives itself. */
const whole = async (
  node: Pick<TestNode, 'url'>,
): Promise<readonly Omit<RawEvent, 'position' | 'created'>[]> => {
  const log = openRawLog(node.url);
  const found: Omit<RawEvent, 'position' | 'created'>[] = [];
  for await (const { position: _, created: _created, ...event } of log.read(null, signal))
    if (!event.stream.startsWith('$') || event.stream === `$$${labelled}`) found.push(event);
  await log.close();
  return found;
};

const labelled = 'other-labelled';
const withClient = async <T>(
  node: Pick<TestNode, 'url'>,
  use: (client: EventStoreDBClient) => Promise<T>,
) => {
  const client = EventStoreDBClient.connectionString(node.url);
  try {
    return await use(client);
  } finally {
    await client.dispose();
  }
};
const newTarget = async (): Promise<TestNode> => {
  const node = await startTestNode();
  onTestFinished(() => node.close());
  return node;
};

/** What a position, or the moment at which the log stored an event, is part of: these are of their log. */
const ofPositions =
  /^(checkpoints|history.*|log_.*|streams_by_owner|record_owners|head_deposits|write_probes|outages?|pgmigrations|subject_keys|signing_keys)$/;
const readModelsOf = async (of: TestDatabase) => {
  const pool = new pg.Pool({ connectionString: of.url });
  const tables = await dumpTables(pool);
  await pool.end();
  const compared = Object.entries(tables).filter(([name]) => !ofPositions.test(name));
  // Records have no time of their own: when the log stored them is all that is known.
  const withoutTimes = JSON.stringify(compared, (name, value: unknown) =>
    ['created_at', 'updatedAt', 'entered', 'user_entered'].includes(name) ? undefined : value,
  );
  return Object.fromEntries(JSON.parse(withoutTimes) as [string, unknown][]);
};

beforeAll(async () => {
  const running: Running = await run(storesOf(source, database));
  await running.workers.ready;
  cast = await makeCast(running.core);
  addons = { lives: await makeAddon(running.core, cast), ended: await makeAddon(running.core, cast) };
  const { addonId, refreshToken } = addons.lives;
  for (let left = 3, next = refreshToken; left > 0; left--) {
    const pair = await running.core.commands.refreshToken({
      addonId,
      refreshToken: next,
      scopes: null,
      resources: null,
    });
    next = valueOf(pair).refreshToken;
    addons.lives = { ...addons.lives, token: valueOf(pair).accessToken, refreshToken: next };
  }
  await running.core.commands.deactivateAddon(addons.ended);
  await running.settled();
  before = await readModelsOf(database);
  await running.stop();
  // What other programs, or years, may have left: bytes that are no JSON of ours, links, metadata, streams that were deleted.
  await withClient(source, async (client) => {
    const odd = { id: randomUUID(), type: 'Odd', contentType: 'application/octet-stream' as const };
    await client.appendToStream(labelled, [{ ...odd, data: new Uint8Array([0, 255, 10]) } as never]);
    await client.appendToStream(
      labelled,
      jsonEvent({ type: 'Odd', data: { big: '\ud83d' }, metadata: { a: [1] } }),
    );
    await client.setStreamMetadata(labelled, { maxAge: 31_536_000, owner: 'x' });
    await client.setStreamMetadata(labelled, { maxAge: 31_536_001, owner: 'y' });
    for (const name of ['other-deleted', 'other-gone'])
      await client.appendToStream(name, jsonEvent({ type: 'Odd', data: {} }));
    await client.deleteStream('other-deleted');
    await client.tombstoneStream('other-gone');
    // FX-39: where the copy is closed, a newer version may have written what an older one skips.
    const metadata = { version: 1, maySkip: true };
    await client.appendToStream(logCopyStream, jsonEvent({ type: 'NoteWritten', data: {}, metadata }));
  });
  const env = envOf(source, database);
  await runBeside(env, ['audit', 'head', '--sign', '-o', kept]);
  const asked = ['audit', 'export', '--organization', cast.organizationId, '--head', kept, '-o', exported];
  await runBeside(env, asked);
});

test('OP-12: everything is copied byte by byte, in the order of the log, and the copy is closed by an event that names the last head, signed', async () => {
  const target = await newTarget();
  const copied = await copy(target);
  expect(copied.stderr).toMatch(/events read|events copied/);
  const { events, streams, head, streams_left_out } = copied.json as Record<string, never>;
  const [there, here] = [await whole(source), await whole(target)];
  const deleted = (name: string) => name.includes('other-deleted') || name.includes('other-gone');
  const isMetadata = ({ stream }: { stream: string }) => stream.startsWith('$$');
  // Of the metadata of a stream only the newest counts; what was deleted stays deleted.
  const newest = there.findLast(isMetadata);
  const wanted = there.filter((event) => !deleted(event.stream) && (!isMetadata(event) || event === newest));
  const expected = wanted.map((event) => (isMetadata(event) ? { ...event, revision: 0n } : event));
  expect(here.slice(0, -1)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(25);
  const [closing] = here.slice(-1);
  expect(closing).toMatchObject({ stream: logCopyStream, type: 'LogCopied', revision: 1n });
  const said = JSON.parse(Buffer.from(closing?.data ?? []).toString()) as Record<string, unknown>;
  const names = new Set(expected.filter((event) => !isMetadata(event)).map(({ stream }) => stream));
  expect(said).toMatchObject({ events: expected.length - 1, streams: names.size, streamsLeftOut: 2, head });
  expect([events, streams, streams_left_out]).toEqual([expected.length - 1, names.size, 2]);
  const verified = await verifyHead(head, null);
  const last = here.at(-2);
  expect(last?.type).toBe('LogHeadSigned');
  expect(JSON.parse(Buffer.from(last?.data ?? []).toString())).toMatchObject({ root: verified.head.root });
  expect(JSON.parse(Buffer.from(here.find(isMetadata)?.data ?? []).toString())).toEqual({
    $maxAge: 31_536_001,
    owner: 'y',
  });
  // Run again: nothing is written, all is compared.
  const again = await copy(target);
  expect(again.json).toMatchObject({ events, streams, head, closed_before: true });
  expect(await whole(target)).toEqual(here);
});

const cli = join(packageRoot, 'dist/src/cli/grantbook.js');
/** The command in a process of its own, killed when the node has been hit. */
const killedAt = async (target: TestNode, hit: Promise<void>): Promise<void> => {
  const env = { ...envOf(source, database), NODE_OPTIONS: '' };
  const child = spawn(process.execPath, [cli, 'log', 'copy', '--to', target.url], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await Promise.race([
    hit,
    ended.then(() => {
      throw new Error('it ended before it was killed');
    }),
  ]);
  child.kill('SIGKILL');
  await ended;
};

test.each([
  { at: 'in the middle, an answer on its way', skip: 12, kind: 'commit-then-drop' as const },
  { at: 'before the first event', skip: 0, kind: 'lost' as const },
  { at: 'in the middle, an append on its way', skip: 15, kind: 'lost' as const },
])('OP-12: killed $at, it goes on there', async ({ skip, kind }) => {
  const target = await newTarget();
  await killedAt(target, target.faults.append({ kind }, { skip }).hit);
  expect((await whole(target)).length).toBeLessThan(35);
  const copied = await copy(target);
  expect(copied.exitCode).toBe(0);
  const whatIsWanted = await newTarget();
  await copy(whatIsWanted);
  const withoutClosing = async (node: TestNode) => (await whole(node)).slice(0, -1);
  expect(await withoutClosing(target)).toEqual(await withoutClosing(whatIsWanted));
});

test('OP-12: killed at the closing event, written or not, it is closed once', async () => {
  const target = await newTarget();
  const appends = (await whole(target)).length;
  expect(appends).toBe(0);
  const fault = target.faults.append({ kind: 'commit-then-drop' }, { skip: await appendsOfACopy() });
  await killedAt(target, fault.hit);
  expect((await copy(target)).json).toMatchObject({ closed_before: true });
  expect((await whole(target)).filter(({ type }) => type === 'LogCopied')).toHaveLength(1);
});

/** How many calls a whole copy makes before the one that closes it: neighbours of one stream go together. */
const appendsOfACopy = async (): Promise<number> => {
  const target = await newTarget();
  await copy(target);
  const streams = (await whole(target)).slice(0, -1).map(({ stream }) => stream);
  return streams.filter((stream, at) => stream !== streams[at - 1]).length;
};

describe('OP-12: what is refused', () => {
  const put = (node: TestNode, stream: string, data: Record<string, number> = {}) =>
    withClient(node, (client) => client.appendToStream(stream, jsonEvent({ type: 'Odd', data })));

  test('a target that holds anything else', async () => {
    const target = await newTarget();
    await put(target, 'mine-1');
    const refused = await copy(target);
    expect([refused.exitCode, errorOf(refused).code]).toEqual([1, 'target-not-empty']);
    expect(errorOf(refused).message).toMatch(
      /an event that is not from this log: event \S+ \(Odd, revision 0 of mine-1\)/,
    );
    expect(await whole(target)).toHaveLength(1);
  });

  test('one that holds something else behind a part of the copy', async () => {
    const begun = await newTarget();
    const fault = begun.faults.append({ kind: 'lost' }, { skip: 5 });
    await killedAt(begun, fault.hit);
    await put(begun, 'mine-1');
    const behind = await copy(begun);
    expect(errorOf(behind).code).toBe('target-not-empty');
    expect(errorOf(behind).message).toMatch(
      /contains the first \d+ events of this log, and then event .* of mine-1/,
    );
  });

  test('a log that grows while it is copied: it says what came, and goes on when it is run again', async () => {
    const target = await newTarget();
    const reached = target.faults.append({ kind: 'commit-then-drop' }, { skip: 3 });
    const running = copy(target);
    await reached.hit;
    const stream = `other-${randomUUID()}`;
    await put(source, stream);
    const refused = await running;
    expect([refused.exitCode, errorOf(refused).code]).toEqual([1, 'source-grew']);
    expect(errorOf(refused).message).toContain(stream);
    expect((await whole(target)).some(({ type }) => type === 'LogCopied')).toBe(false);
    expect((await copy(target)).exitCode).toBe(0);
    expect((await whole(target)).some((event) => event.stream === stream)).toBe(true);
  });

  test('a byte that the other server stored otherwise: nothing is closed', async () => {
    const target = await newTarget();
    await query(
      target.databaseUrl,
      `create function spoil() returns trigger language plpgsql as $$ begin
         if new.type = 'ProfileRecorded' then new.data = set_byte(new.data, 20, get_byte(new.data, 20) # 1); end if;
         return new; end $$;
       create trigger spoil before insert on eventstore.events for each row execute function spoil()`,
    );
    const refused = await copy(target);
    expect([refused.exitCode, errorOf(refused).code]).toEqual([1, 'copy-differs']);
    expect(errorOf(refused).message).toMatch(
      /the data of event \S+ \(ProfileRecorded, revision 0 of profile-/,
    );
    expect((await whole(target)).some(({ type }) => type === 'LogCopied')).toBe(false);
  });

  test('a byte that was changed after the copy was closed', async () => {
    const target = await newTarget();
    expect((await copy(target)).exitCode).toBe(0);
    await query(
      target.databaseUrl,
      `update eventstore.events set metadata = set_byte(metadata, 1, 65) where type = 'AddonActivated' and revision = 0`,
    );
    expect(errorOf(await copy(target))).toMatchObject({
      code: 'target-not-empty',
      message: expect.stringContaining('differs in its metadata') as unknown,
    });
  });

  test('the log itself, and a copy that is in use', async () => {
    expect(errorOf(await copy(source)).code).toBe('same-log');
    const target = await newTarget();
    await copy(target);
    await put(target, 'session-1');
    expect(errorOf(await copy(target)).code).toBe('target-in-use');
  });

  test('a stream whose first events are gone', async () => {
    const [cut, target] = [await newTarget(), await newTarget()];
    for (const n of [1, 2]) await put(cut, 'organization-X', { n });
    await query(
      cut.databaseUrl,
      `delete from eventstore.events where stream = 'organization-X' and revision = 0`,
    );
    const refused = await runBeside(
      envOf(cut, await ownDatabase()),
      words(`log copy --to ${target.url} --json`),
    );
    expect(errorOf(refused).code).toBe('not-carried');
    expect(errorOf(refused).message).toContain(
      'the events of the stream organization-X before revision 1 were removed',
    );
    expect(await whole(target)).toEqual([]);
  });

  test('a running service, whose decisions would be missing', async () => {
    const target = await newTarget();
    const of = await ownDatabase();
    const node = await newTarget();
    const running = await run(storesOf(node, of));
    await running.workers.ready;
    const refused = await runBeside(envOf(node, of), ['log', 'copy', '--to', target.url, '--json']);
    expect(errorOf(refused).code).toBe('service-runs');
    await running.stop();
  });

  test.each([
    { to: 'http://example.org', says: 'esdb://' },
    { to: 'esdb://a:b@127.0.0.1:1?tls=false', says: 'user and a password' },
  ])('bad input: --to $to', async ({ to, says }) => {
    const { exitCode, stderr } = await runBeside(envOf(source, database), ['log', 'copy', '--to', to]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--to');
    expect(stderr).toContain(says);
  });

  test('a server that is not there, by the name of the option', async () => {
    const { exitCode, stderr } = await runBeside(
      envOf(source, database),
      words('log copy --to esdb://127.0.0.1:1?tls=false'),
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('of --to is not running')]);
  });
});

const ownDatabase = async (): Promise<TestDatabase> => {
  const own = await migratedDatabase();
  onTestFinished(() => own.drop());
  return own;
};

describe('OP-12: after the copy', async () => {
  const { node: target, database: anew } = await startTestServers();
  const env = envOf(target, anew);
  beforeAll(() => copy(target));

  test('the database of the old log is noticed, at start and by the doctor, and nothing is decided on it', async () => {
    const config = readConfig({ ...settingsFor(storesOf(target, database)), PORT: '0', DATA_DIR: folder });
    const refusal = await startService(config, watchedLogger(), signal).then(
      async (service) => service.close().then(() => 'started'),
      (error: Error) => error.message,
    );
    expect(refusal).toMatch(/^the event store of EVENTSTORE_URL holds a copy of the log that the database/);
    expect(refusal).toContain('docs/how-to/copy-the-log.md');
  });

  test('with the keys carried, a new database gives the same read models; tokens live, deactivation holds', async () => {
    const keys = join(folder, 'persons.ndjson');
    expect((await runBeside(envOf(source, database), ['keys', 'backup', '-o', keys])).exitCode).toBe(0);
    expect((await runBeside(env, ['keys', 'restore', keys])).exitCode).toBe(0);
    const rows = await query(database.url, 'select to_jsonb(signing_keys) as row from signing_keys');
    for (const { row } of rows)
      await query(
        anew.url,
        'insert into signing_keys select * from jsonb_populate_record(null::signing_keys, $1)',
        [JSON.stringify(row)],
      );
    const running = await run(storesOf(target, anew));
    await running.workers.ready;
    await running.settled();
    expect(await readModelsOf(anew)).toEqual(before);
    expect(await running.list(addons.lives.token)).toBe(200);
    expect(await running.list(addons.ended.token)).toBe(401);
    const { addonId, refreshToken } = addons.lives;
    const pair = await running.core.commands.refreshToken({
      addonId,
      refreshToken,
      scopes: null,
      resources: null,
    });
    expect(await running.list(valueOf(pair).accessToken)).toBe(200);
    await running.core.commands.deactivateAddon(addons.lives);
    expect(await running.list(valueOf(pair).accessToken)).toBe(401);
    // The leader signs a head over the copy at once.
    await expect.poll(() => running.core.logHeads.newest()).toMatchObject({ previousSize: 0 });
    await running.stop();
  });

  test('audits: a head of before is known for what it is, an old export proves itself, and a time before the copy is refused', async () => {
    const checked = await runBeside(env, ['audit', 'check-log', '--full', '--head', kept, '--json']);
    expect(checked.json).toMatchObject({ ok: true, heads: { outside: 0, earlier: 1 } });
    const told = await runBeside(env, ['audit', 'check-log', '--head', kept]);
    expect(told.stdout).toMatch(/It was copied from another log at .*: \d+ events, and \d+ consistent heads/);
    expect(told.stdout).toContain('belong to the log from which this one was copied');
    expect((await runBeside(env, ['audit', 'verify', exported, '--head', kept])).exitCode).toBe(0);
    const store = connectEventStore({ url: target.url, logger: quietLogger() });
    const closed = await newestCopy(store);
    await store.close();
    const { size } = JSON.parse(readFileSync(kept, 'utf8')) as { size: number };
    expect(closed?.head.size).toBeGreaterThan(size);
    const out = join(folder, 'new.ndjson');
    const asked = ['audit', 'export', '--organization', cast.organizationId, '-o', out];
    const refused = await runBeside(env, [...asked, '--head', kept, '--json']);
    expect(errorOf(refused)).toMatchObject({
      code: 'head-of-another-log',
      message: expect.stringContaining('the log from which this one was copied') as unknown,
    });
    expect((await runBeside(env, asked)).exitCode).toBe(0);
    const asOf = ['audit', 'as-of', '--organization', cast.organizationId];
    const early = await runBeside(env, [...asOf, '--at', '2026-01-01', '--json']);
    expect([early.exitCode, errorOf(early).message]).toEqual([
      2,
      expect.stringContaining('when this log was copied from another one') as unknown,
    ]);
    expect(
      (await runBeside(env, ['audit', 'timeline', '--organization', cast.organizationId])).exitCode,
    ).toBe(0);
  });

  test('what the closing event says was signed: a change of it is reported', async () => {
    await query(
      target.databaseUrl,
      `update eventstore.events set data = convert_to(replace(convert_from(data, 'utf8'), '"streams":', '"streams":1'), 'utf8')
       where type = 'LogCopied'`,
    );
    const checked = await runBeside(env, ['audit', 'check-log', '--json']);
    expect([checked.exitCode, errorOf(checked).code]).toEqual([1, 'log-copy']);
  });
});
