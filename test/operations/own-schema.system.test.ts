import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/process/service.ts';
import { ownSchema } from '../../src/projections/database/own-schema.ts';
import { makeNoteSwap } from '../../src/commands/log/note-swap.ts';
import { rebuild } from '../../src/projections/rebuild/rebuild.ts';
import { swap } from '../../src/projections/rebuild/swap.ts';
import { verify } from '../../src/projections/rebuild/verify.ts';
import { rebuildableOf, rebuildables, schemaOf } from '../../src/projections/rebuild/rebuildables.ts';
import { asAdmin } from '../../packages/eventstore-node/test/support/databases.ts';
import { runBeside } from '../cli/live-service.ts';
import { freshDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { startTestNode } from '../support/servers/node.ts';
import { query, valuesOf } from '../support/query.ts';
import { makeAddon, makeCast, run, settingsFor, type Stores } from './running.ts';

/** A role of this file that may connect, and create schemas in the database, but nothing in `public`. */
const newRole = async (database: TestDatabase, role: string): Promise<string> => {
  const [named, url] = [pg.escapeIdentifier(role), new URL(database.url)];
  await asAdmin(async (admin) => {
    await admin.query(`create role ${named} login password 'secret'`);
    await admin.query(`grant create on database ${url.pathname.slice(1)} to ${named}`);
  });
  [url.username, url.password] = [encodeURIComponent(role), 'secret'];
  return url.href;
};
const dropRole = (role: string) =>
  asAdmin(async (admin) => void (await admin.query(`drop role ${pg.escapeIdentifier(role)}`)));

const settings = (stores: Stores) => ({ ...settingsFor(stores), PORT: '1' });

describe('two installations share a database, each in the schema of its role', async () => {
  const roles = [`Grant "book" ${process.pid}`, `it's_${process.pid}`] as const;
  const database = await freshDatabase();
  const install = async (role: string) => {
    const [node, databaseUrl] = [await startTestNode(), await newRole(database, role)];
    return { role, node, stores: { databaseUrl, eventStoreUrl: node.url } };
  };
  const first = await install(roles[0]);
  const installations = [first, await install(roles[1])];
  afterAll(async () => {
    await Promise.all(installations.map(({ node }) => node.close()));
    await database.drop();
    for (const role of roles) await dropRole(role);
  });

  test('FX-70: where no schema may be written, migrate, the start and doctor say so in one sentence, and nothing is written', async () => {
    const { stores, role } = first;
    const env = settings(stores);
    const named = `"${role.replaceAll('"', '""')}"`;
    const why = `the role ${role} may create nothing in the schema public, with which its search_path ("$user", public) begins`;
    const advice = `create a schema of its name (create schema authorization ${named}), or allow it (grant create on schema "public" to ${named})`;
    const sentence = `Nothing was changed in the database: ${why}; ${advice}`;
    const migrated = await runBeside(env, ['migrate', '--json']);
    expect(migrated).toMatchObject({
      exitCode: 1,
      json: { error: { setting: 'DATABASE_URL', message: sentence } },
    });
    const started = startService(readConfig(env), quietLogger() as never, new AbortController().signal);
    await expect(started).rejects.toThrow(sentence);
    const { json } = await runBeside(env, ['doctor', '--json']);
    const { findings } = json as { findings: readonly Record<string, string>[] };
    expect(findings.filter(({ found }) => found?.includes('may create nothing'))).toMatchObject([
      { state: 'failure', advice },
    ]);

    await query(stores.databaseUrl, 'alter role current_user set search_path = nowhere');
    expect((await runBeside(env, ['migrate'])).stderr).toContain(
      `no schema of the search_path (nowhere) of the role ${role} is there; create a schema of its name`,
    );
    await query(stores.databaseUrl, 'alter role current_user reset search_path');
    expect(
      await valuesOf(database.url, `select nspname from pg_namespace where nspowner = '${named}'::regrole`),
    ).toEqual([]);
  });

  test('FX-70: both migrate, start, lead, count, rebuild, swap and erase, and nothing of them is in public', async () => {
    for (const { stores, role } of installations) {
      await query(stores.databaseUrl, `create schema authorization ${pg.escapeIdentifier(role)}`);
      expect((await runBeside(settings(stores), ['migrate'])).exitCode).toBe(0);
    }
    const running = await Promise.all(installations.map(({ stores }) => run(stores)));
    onTestFinished(async () => void (await Promise.all(running.map((each) => each.stop()))));
    for (const [index, each] of running.entries()) {
      const { core, workers, app } = each;
      const stores = installations[index]?.stores ?? first.stores;
      const env = settings(stores);
      const needs = {
        databaseUrl: stores.databaseUrl,
        log: core.store,
        noteSwap: makeNoteSwap({ store: core.store }),
        logger: quietLogger(),
        now: () => Date.now(),
        signal: new AbortController().signal,
      };
      await workers.ready;
      const cast = await makeCast(core);
      const { token } = await makeAddon(core, cast);
      await app.inject({ url: '/oauth/jwks' });
      await each.settled();
      expect(await each.list(token)).toBe(200);
      for (const { name, kept } of index === 0 ? rebuildables : [rebuildableOf('lists')]) {
        await rebuild(needs, { name });
        expect(await verify(needs, { name })).toMatchObject({ differences: [] });
        expect(await swap(needs, { name })).toMatchObject({ previousVersion: kept === 'merged' ? null : 1 });
      }
      expect(await each.list(token)).toBe(200);
      await core.commands.eraseProfile({ organizationId: cast.organizationId, id: 'P1' });
      await each.settled();
      const { databaseUrl } = stores;
      const named = `select item ->> 'name' from profiles where id = 'P1'`;
      expect(await valuesOf(databaseUrl, named)).toEqual(['erased']);
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      const old = schemaOf(await ownSchema(client), 'lists', 1);
      await client.end();
      expect(
        await valuesOf(databaseUrl, named.replace('profiles', `${pg.escapeIdentifier(old)}.profiles`)),
      ).toEqual(['erased']);
      expect((await runBeside(env, ['history', 'status'])).stdout).toContain('attached');
      const { json } = await runBeside(env, ['doctor', '--json']);
      const { findings } = json as {
        findings: readonly { readonly state: string; readonly check: string }[];
      };
      expect(findings.filter(({ state }) => state === 'failure')).toEqual([]);
      expect(findings.filter(({ state }) => state === 'ok').map(({ check }) => check)).toEqual(
        expect.arrayContaining([
          'migrations',
          'writes of the database',
          'leader of read-models',
          'log and database',
        ]),
      );
    }
    expect(
      await valuesOf(
        database.url,
        `select relname from pg_class where relnamespace = 'public'::regnamespace`,
      ),
    ).toEqual([]);
  });

  test('FX-70: the whole program starts there', async () => {
    const { stores } = first;
    const env = { ...settingsFor(stores), PORT: '0' };
    const service = await startService(readConfig(env), quietLogger() as never, new AbortController().signal);
    onTestFinished(() => service.close());
    expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
  });
});

test('FX-70: the name of a version’s schema is no longer than PostgreSQL keeps, and different in each schema', () => {
  const [one, other] = ['a', 'b'].map((end) => schemaOf('x'.repeat(62) + end, 'activation-fence', 12));
  expect(Buffer.byteLength(one ?? '')).toBeLessThanOrEqual(63);
  expect(one).not.toBe(other);
  expect(schemaOf('app', 'activation-fence', 2)).toBe('app_activation_fence_v2');
});
