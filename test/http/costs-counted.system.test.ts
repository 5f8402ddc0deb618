import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { liveReadModels } from '../../src/projections/follow/checkpoint.ts';
import { historyGroup } from '../../src/projections/history/history.ts';
import { streamsGroup } from '../../src/projections/kernel/streams-by-owner.ts';
import { counting, type Counts } from '../support/costs/counts.ts';
import { startCountedService } from '../support/costs/counted-service.ts';
import { walOf } from '../support/costs/wal.ts';
import { issued, redeemed, refreshed } from '../projections/follow/a-story.ts';
import { verifier } from '../support/scenes/grants.ts';
import {
  activate,
  allowedScopes,
  authorizeUrl,
  listWith,
  obtainCode,
  postToken,
  redirectUri,
  returned,
  setScene,
  type Scene,
  type Tokens,
} from '../support/scenes/http-scene.ts';
import { testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import { credentialsOf, presentAs } from '../support/scenes/presented-tokens.ts';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';

// What an operation costs, in counts that no noise of a machine can change. One more of any is a decision: change the
// number, and write next to it what it is for. One less is a success: change the number, so that it stays.

let service: Awaited<ReturnType<typeof startCountedService>>;
let scene: Scene;
let browser: TestBrowser;
type Page = Awaited<ReturnType<TestBrowser['get']>>;
let log: pg.Client;

beforeAll(async () => {
  service = await startCountedService();
  log = new pg.Client({ connectionString: service.node.databaseUrl });
  await log.connect();
  scene = await setScene(service, { confidential: true, allowedScopes: [...allowedScopes, 'openid'] });
  await activate(service, scene);
  browser = testBrowser(service.app);
  await obtainCode(service, scene, { browser, change: { scope: `${scope} openid` } });
});
afterAll(async () => {
  await log.end();
  await service.close();
});

const scope = 'access-rights:read';
const credentials = () => credentialsOf(scene).headers;

const authorize = async (asked: string) =>
  returned(await browser.get(authorizeUrl(scene, { scope: asked })))['code'] ?? '';
const exchange = async (code: string) => {
  const grant = { grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: verifier };
  return (await postToken(service.app, { ...grant, code }, credentials())).json<Tokens>();
};
const refresh = async ({ refresh_token }: Tokens) => {
  const answer = await postToken(service.app, { grant_type: 'refresh_token', refresh_token }, credentials());
  expect(answer.statusCode).toBe(200);
  return answer.json<Tokens>();
};

type Costs = Counts & { readonly events: number; readonly bytes: number };

const costsOf = async (work: () => Promise<unknown>): Promise<Costs> => {
  await service.left();
  const head = await log.query<{ at: string }>('select max(position)::text as at from eventstore.events');
  const { counts } = await counting(work);
  await service.left();
  const appended = await log.query<{ events: number; bytes: number }>(
    `select count(*)::int as events, coalesce(sum(octet_length(data) + octet_length(metadata)), 0)::int as bytes
     from eventstore.events where position > $1 and stream !~ '^(\\$|log)'`,
    [head.rows[0]?.at],
  );
  const { events = 0, bytes = 0 } = appended.rows[0] ?? {};
  // Several begin at once, in an order that does not matter.
  return {
    ...counts,
    calls: counts.calls.toSorted(),
    statements: counts.statements.toSorted(),
    events,
    bytes,
  };
};

/** The least of several runs: what is only done now and then, such as a cache that has expired, is not of each. */
const leastOf = async (runs: readonly (() => Promise<unknown>)[]): Promise<Costs> => {
  const all: Costs[] = [];
  for (const run of runs) all.push(await costsOf(run));
  const sizeOf = (cost: number | readonly string[]) => (typeof cost === 'number' ? cost : cost.length);
  const least = (name: keyof Costs) =>
    all.map((costs) => costs[name]).reduce((a, b) => (sizeOf(b) < sizeOf(a) ? b : a));
  return Object.fromEntries(
    (Object.keys(nothing) as (keyof Costs)[]).map((name) => [name, least(name)]),
  ) as unknown as Costs;
};

const thrice = <T>(each: T): readonly T[] => [each, each, each];
const prepared = async <T>(prepare: () => Promise<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for (let run = 0; run < 3; run += 1) all.push(await prepare());
  return all;
};
const tokensOf = (asked: string) => prepared(async () => exchange(await authorize(asked)));

const nothing: Costs = {
  calls: [],
  messages: 0,
  statements: [],
  hmacs: 0,
  hashes: 0,
  draws: 0,
  signatures: 0,
  decodings: 0,
  events: 0,
  bytes: 0,
};

const refreshCosts: Costs = {
  ...nothing,
  calls: ['append grant'],
  messages: 1, // the append; its answer comes on the stream of all appends
  statements: ['read-fence', 'read-fence'], // before and after the append
  // The tag and the secret of the presented token; a secret and a tag for each of the two new ones.
  hmacs: 6,
  hashes: 1, // of the client's secret
  draws: 1, // the id of the event; the span's id and the salt of the new pair are drawn in blocks
  events: 1,
  bytes: 426,
};

test('RT-04: a refresh appends once, and reads nothing', async () => {
  const tokens = await tokensOf(scope);
  expect(await leastOf(tokens.map((each) => () => refresh(each)))).toEqual(refreshCosts);
});

test('a refresh with an id_token: one signature more', async () => {
  const tokens = await tokensOf(`${scope} openid`);
  expect(await leastOf(tokens.map((each) => () => refresh(each)))).toEqual({
    ...refreshCosts,
    signatures: 1,
    hashes: 2, // also of the access token, for at_hash
    bytes: 435,
  });
});

test('AM-12: an exchange appends once, and reads one event: the newest of the add-on', async () => {
  const codes = await prepared(() => authorize(scope));
  expect(await leastOf(codes.map((code) => () => exchange(code)))).toEqual({
    ...nothing,
    calls: ['append grant', 'read end addon'],
    messages: 3,
    statements: ['read-fence', 'read-fence'],
    hmacs: 6, // as for a refresh, of the code
    hashes: 2, // of the client's secret and the code verifier
    draws: 1,
    decodings: 1, // the newest event of the add-on
    events: 1,
    bytes: 324,
  } satisfies Costs);
});

test('an introspection', async () => {
  const [tokens] = await tokensOf(scope);
  const introspect = () =>
    presentAs(service, '/oauth/introspect', scene, { token: tokens?.access_token ?? '' });
  expect(await leastOf(thrice(introspect))).toEqual({
    ...nothing,
    statements: ['read-fence'], // the token itself was verified when it was first presented
    hashes: 1, // of the client's secret
  } satisfies Costs);
});

test('AP-02: what a token is for', async () => {
  const [tokens] = await tokensOf(scope);
  const describe = () => listWith(service, '/grant', tokens?.access_token ?? '');
  expect(await leastOf(thrice(describe))).toEqual({
    ...nothing,
    statements: ['names-of-grant'], // with the fence
  } satisfies Costs);
});

test('a page of a list', async () => {
  const [tokens] = await tokensOf(scope);
  const list = () => listWith(service, '/access-rights', tokens?.access_token ?? '');
  expect(await leastOf(thrice(list))).toEqual({
    ...nothing,
    statements: ['list-access_rights-organization-start'], // with the fence, totals and items
    hmacs: 1, // the token for changes (AP-05)
    hashes: 2, // the list's id in links, and what that token is bound to
  } satisfies Costs);
});

test('AZ-37, AM-12: an authorization without a page reads nine streams, two of them after the event of the code', async () => {
  expect(await leastOf(thrice(() => authorize(scope)))).toEqual({
    ...nothing,
    calls: [
      'append grant',
      'read account',
      'read activation',
      'read consent',
      'read consent',
      'read end addon',
      'read end addon',
      'read organization',
      'read organization',
      'read session',
    ],
    // The append, and what is new in the log, asked for five times: all streams are kept (ADR 100).
    messages: 14,
    statements: [
      'count-silent-grant',
      'organizations-administered-by',
      'read-fence',
      'read-fence',
      'silent-grants',
    ],
    hmacs: 3, // the session's cookie, the secret and the tag of the code
    hashes: 2, // the cookie's name, the remembered choice
    draws: 1, // the id of the event
    decodings: 11,
    events: 1,
    bytes: 659,
  } satisfies Costs);
});

test('AZ-40, AM-12: a page reads seven streams; its approval the same, the consent that it changes, and two after the event of the code', async () => {
  const shown: Page[] = [];
  const show = async () =>
    void shown.push(await browser.get(authorizeUrl(scene, { scope, prompt: 'consent' })));
  expect(await leastOf(thrice(show))).toEqual({
    ...nothing,
    calls: [
      'read account',
      'read activation',
      'read consent',
      'read consent',
      'read end addon',
      'read organization',
      'read session',
    ],
    messages: 10,
    statements: ['organizations-administered-by', 'organizations-administered-by'],
    hmacs: 2, // the session's cookie, the interaction in the form
    hashes: 4,
    draws: 2, // the id of the interaction, the token of the form
    decodings: 8,
  } satisfies Costs);
  expect(await leastOf(shown.map((page) => () => browser.press(page, 'Allow')))).toEqual({
    ...nothing,
    calls: [
      'append grant',
      'read account',
      'read activation',
      'read consent',
      'read consent',
      'read consent',
      'read end addon',
      'read end addon',
      'read organization',
      'read organization',
      'read session',
    ],
    messages: 16,
    statements: [
      'answer-once', // for who presses twice
      'claim-once', // a form counts once
      'end-interaction',
      'organizations-administered-by',
      'read-fence',
      'read-fence',
    ],
    hmacs: 7,
    hashes: 8,
    draws: 2, // as without a page, and one for the form
    decodings: 12,
    events: 1,
    bytes: 659,
  } satisfies Costs);
});

/** Grants, and how often each of them is refreshed. */
const grants = Array.from({ length: 50 }, (_, n) => `01J9Z3T0Q7XK5V8M2N4P6R1S${String(n).padStart(2, '0')}`);
const rotations = 20;

/** Whether the read models and the timelines have every refresh, or others every event of another type. */
const isProjected = async (
  type = 'TokensRefreshed',
  by: readonly string[] = [liveReadModels, historyGroup],
): Promise<boolean> => {
  const { rows } = await log.query<{ head: string }>(
    `select max(position)::text as head from eventstore.events where type = $1`,
    [type],
  );
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  const there = await client.query('select from checkpoints where name = any($1) and commit_position >= $2', [
    by,
    rows[0]?.head,
  ]);
  await client.end();
  return there.rowCount === by.length;
};

/** The transactions of those who follow the log, each with its statements; without those that only move a checkpoint. */
const transactionsIn = (statements: typeof service.statements): readonly string[] => {
  const open = new Map<pg.Client, string[]>();
  const done: string[] = [];
  for (const { client, text } of statements) {
    if (text === 'begin') open.set(client, []);
    open.get(client)?.push(text);
    if (text !== 'commit') continue;
    const transaction = open.get(client)?.join(', ') ?? '';
    open.delete(client);
    if (transaction.startsWith('begin, move-checkpoint, ') && transaction !== onlyMoved)
      done.push(transaction);
  }
  return done.toSorted();
};

const onlyMoved = 'begin, move-checkpoint, commit';
const kilobyte = 1_000;

test('HI-04: 1,000 refreshes of 50 grants, projected', async () => {
  const { gate, store, decoded, statements } = service;
  for (const grant of grants)
    await store.append(`grant-${grant}`, 'no-stream', [issued(grant), redeemed(grant)].map(alone));
  await service.settle();
  await expect.poll(() => isProjected('AuthorizationCodeRedeemed')).toBe(true);
  await expect.poll(() => isProjected('AuthorizationCodeIssued', [streamsGroup])).toBe(true);
  gate.close();
  decoded.length = 0;
  for (const grant of grants) {
    const rotated = Array.from({ length: rotations }, (_, n) => alone(refreshed(grant, n + 1)));
    await store.append(`grant-${grant}`, 1n, rotated);
  }
  // Those who get each refresh: the read models and the timelines.
  await expect.poll(() => gate.waiting('TokensRefreshed')).toEqual([1_000, 1_000]);
  expect(decoded.filter((type) => type === 'TokensRefreshed')).toHaveLength(1_000); // once for both
  statements.length = 0;
  const [written] = await walOf([service.database.url], async () => {
    gate.open();
    await expect.poll(() => isProjected()).toBe(true);
  });
  // Two batches: what was there when the first event arrived, and the rest.
  expect(transactionsIn(statements)).toEqual([
    'begin, move-checkpoint, history-streams-of, history-partitions, insert-history-events, commit',
    'begin, move-checkpoint, history-streams-of, history-partitions, insert-history-events, commit',
    'begin, move-checkpoint, move-connections, update-grants, commit',
    'begin, move-checkpoint, move-connections, update-grants, commit',
  ]);
  const { checkpoints: _ofEveryGroup, ...rows } = written?.rows ?? {};
  expect(rows).toEqual({
    history_events: 1_000,
    grants: 51, // each grant once in a batch; the first batch has one
    connections: 2, // once in a batch
  });
  // Varies with how index pages split.
  expect(written?.bytes).toBeLessThan(540 * kilobyte);
  expect(written?.bytes).toBeGreaterThan(400 * kilobyte); // it was counted
});

const alone = ({ event }: ReturnType<typeof issued | typeof redeemed | typeof refreshed>) => ({ event });

/** Read and write calls of a process so far. */
const callsOf = ({ child }: Instance): { readonly reads: number; readonly writes: number } => {
  const told = readFileSync(`/proc/${child.pid}/io`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(told)?.[1]);
  return { reads: of('syscr'), writes: of('syscw') };
};

/** Per second, while nobody asks for anything. */
const callsAtRest = async (instance: Instance) => {
  const before = callsOf(instance);
  await delay(2_000);
  const after = callsOf(instance);
  return { reads: (after.reads - before.reads) / 2, writes: (after.writes - before.writes) / 2 };
};

const measuredRefreshes = 50;

test.runIf(existsSync('/proc/self/io'))(
  'HI-04: the system calls and the rows of a refresh, each projected before the next',
  async () => {
    let tokens = await exchange(await authorize(scope));
    await service.stop();
    const instance = await readyInstance(spawnInstance(service.settings));
    onTestFinished(async () => void (await endInstance(instance, 'SIGTERM')));
    const refreshOnce = async () => {
      const answer = await fetch(`${instance.baseUrl}/oauth/token`, {
        method: 'POST',
        headers: credentials(),
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
      });
      tokens = (await answer.json()) as Tokens;
    };
    for (let n = 0; n < 10; n += 1) await refreshOnce();
    await expect.poll(() => isProjected()).toBe(true);
    const atRest = await callsAtRest(instance);
    const before = callsOf(instance);
    const began = performance.now();
    const wal = await walOf([service.node.databaseUrl, service.database.url], async () => {
      for (let n = 0; n < measuredRefreshes; n += 1) await refreshOnce();
      await expect.poll(() => isProjected()).toBe(true);
    });
    const seconds = (performance.now() - began) / 1_000;
    const after = callsOf(instance);
    const each = (what: 'reads' | 'writes') =>
      (after[what] - before[what] - atRest[what] * seconds) / measuredRefreshes;
    // About 17 and 16: of the request, its append, the fence, and each follower of the log. Fewer where some come together.
    expect(each('reads')).toBeLessThan(21);
    expect(each('writes')).toBeLessThan(19);
    expect(each('writes')).toBeGreaterThan(4); // they were counted
    const [ofLog, ofReadModels] = wal;
    expect(ofLog?.rows).toEqual({ events: measuredRefreshes, streams: measuredRefreshes });
    expect((ofLog?.bytes ?? 0) / measuredRefreshes).toBeLessThan(1_150);
    // One row of each, unless the next refresh is there before the last one is projected.
    for (const table of ['history_events', 'connections', 'grants'])
      expect(ofReadModels?.rows[table]).toBeLessThanOrEqual(measuredRefreshes);
    expect(ofReadModels?.rows['history_events']).toBe(measuredRefreshes);
    expect((ofReadModels?.bytes ?? 0) / measuredRefreshes).toBeLessThan(1_000);
  },
);
