import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import type { OperatorStatus } from '../../../src/projections/operations/status.ts';
import { readDatabaseStatus } from '../../../src/projections/operations/database-status.ts';
import { eventually } from '../../support/eventually.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';

/** `/operator`, with the parts of a service that are there: a database, a projector, and samples that the test gives. */

let lag: OperatorStatus['lag'] = [];
let down = false;

const as = (name: string) => signedIn(http, { email: `${name}@harbour.example` });

const http = await startHttpApp({
  around: (needs) => ({
    ...needs,
    serviceStatus: async () => {
      const status = await needs.serviceStatus();
      return { ...status, lag, database: down ? null : status.database };
    },
  }),
});
await createUser(http, 'olive@harbour.example', [], { roles: ['operator'] });
await createUser(http, 'audrey@harbour.example', [], { roles: ['auditor'], auditorOf: [] });
await createUser(http, 'ada@harbour.example');
afterAll(() => http.close());

test('operators see checkpoints, who leads, instances, parked keys and versions that are built', async () => {
  await http.pool.query(
    `insert into parked_events (checkpoint, projection, stream, revision, event_id, type, commit_position, prepare_position, error)
     values ('read-models', 'grants', 'grant-<b>G1', 3, $1, 'GrantRevoked', 7, 7, 'Postgres 23505, a constraint')`,
    [randomUUID()],
  );
  await http.pool.query(
    `insert into projection_versions (name, version, schema, state, started_at, events, events_per_second, seconds_left)
     values ('grants', 2, 'public_grants_v2', 'building', 1, 120000, 4000, 90)`,
  );
  const { statusCode, body, headers } = await (await as('olive')).get('/operator/status');
  expect(statusCode).toBe(200);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['cache-control']).toBe('no-store');
  expect(body).not.toMatch(/<script(?! src="\/assets\/page-)|style=/);
  // On a busy machine a leader may have been silent for too long, and another term begins.
  const browser = await as('olive');
  await expect
    .poll(async () => (await browser.get('/operator/status')).body)
    .toMatch(/read-models<\/th>[\s\S]*?<td class="from-m"><code>[\w.-]+:\d+</);
  expect(body).toContain('grant-&lt;b&gt;G1');
  expect(body).toContain('Postgres 23505, a constraint');
  expect(body).toMatch(
    /grants, version 2<\/dt>\s*<dd>building, 120,000 events, 4000 events\/s, 90 seconds left/,
  );
});

test('operators find it from their other pages, and nobody else does', async () => {
  const linked = async (name: string) => {
    const browser = await as(name);
    const pages = [await browser.get('/admin'), await browser.get('/account')];
    return pages.map(({ statusCode, body }) => [statusCode, body.includes('href="/operator"')]);
  };
  expect(await linked('olive')).toEqual([
    [200, true],
    [200, true],
  ]);
  expect(await linked('audrey')).toEqual([
    [200, false],
    [200, false],
  ]);
});

test('the lag is a picture, and words that say the same', async () => {
  const samples = [0, 4, null, 2].map((behind, index) => ({ at: 10_000 * index, behind }));
  lag = [{ name: 'read-models', most: 1000, samples }];
  const { body } = await (await as('olive')).get('/operator/status');
  const words = '2 events behind now; 4 events at most in the last 30 seconds';
  expect(body).toContain(`<p>${words}</p>`);
  expect(body).toContain(`role="img" aria-label="Lag of read-models: ${words}"`);
  expect(body.match(/<rect x/g)).toHaveLength(4);
  expect(body.match(/<rect [^>]*fill="none"/g)).toHaveLength(1);
  lag = [{ name: 'read-models', most: 1000, samples: [{ at: 0, behind: 1000 }] }];
  expect((await (await as('olive')).get('/operator/status')).body).toContain(
    '1,000 events or more behind now',
  );
});

test('since when an instance runs is when its process began, also after its sessions were cut', async () => {
  const look = async () => (await readDatabaseStatus(http.pool)).instances;
  const began = Math.floor(performance.timeOrigin / 1000) * 1000;
  await eventually(async () => expect(await look()).toHaveLength(1));
  const [before] = await look();
  expect(before?.since).toBe(began);
  const cut = await http.pool.query<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'grantbook % %'`,
  );
  expect(cut.rows.length).toBeGreaterThan(0);
  const cutOff = cut.rows.map(({ pid }) => pid);
  const isBack = async () => {
    const { rows } = await http.pool.query(
      `select from pg_stat_activity
       where datname = current_database() and application_name like 'grantbook % %' and pid <> all ($1::int[])`,
      [cutOff],
    );
    expect(rows.length).toBeGreaterThan(0);
  };
  await eventually(isBack);
  expect((await look())[0]).toMatchObject({ name: before?.name, since: began });
});

test('without its database the page still comes, and says so', async () => {
  const olive = await as('olive');
  down = true;
  const { statusCode, body } = await olive.get('/operator/status');
  down = false;
  expect(statusCode).toBe(200);
  expect(body).toContain('The database does not answer');
});

test('bad input: without a session it leads to the sign-in, another role is refused, and nothing can be sent', async () => {
  const nobody = await testBrowser(http.app).get('/operator');
  expect([nobody.statusCode, nobody.headers.location]).toEqual([303, '/sign-in?return_to=%2Foperator']);
  for (const name of ['audrey', 'ada'])
    for (const url of ['/operator', '/operator/status', '/operator/grants']) {
      const refused = await (await as(name)).get(url);
      expect([url, refused.statusCode]).toEqual([url, 403]);
      expect(refused.body).not.toContain('Checkpoints');
    }
  const olive = await as('olive');
  expect((await olive.post('/operator', {})).statusCode).toBe(405);
  expect((await olive.get('/operator?x=1&x=2')).statusCode).toBe(200);
});
