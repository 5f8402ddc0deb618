import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeTimeline } from '../../../src/audit/timeline/make-timeline.ts';
import { presentPage } from '../../../src/audit/timeline/present-timeline.ts';
import { isShownIn, shortEventOf, stateWords } from '../../../src/audit/timeline/notifications.ts';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import type { About } from '../../../src/domain/event-subjects.ts';
import type { Position } from '../../../src/eventstore/event-store.ts';
import { historyGroup, historyProjections } from '../../../src/projections/history/history.ts';
import { readNames } from '../../../src/projections/kernel/names.ts';
import type { PipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { makeHistoryReader } from '../../../src/projections/history/read-history.ts';
import { makeStreamsByOwner } from '../../../src/projections/kernel/streams-by-owner.ts';
import { readTold } from '../../../src/signals/read-sets-of-events.ts';
import { endSets, replaySets } from '../../../src/signals/set-queue.ts';
import { explain, sentBy } from '../../support/documents/explained.ts';
import { t0 } from '../../support/scenes/grants.ts';
import { issuance } from '../../support/memory/issuance.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { projectAll } from '../../support/log/test-projector.ts';
import { timelineText } from '../../../src/cli/audit/texts.ts';
import { giveStream, issuer, queueTold } from '../../support/scenes/told-addons.ts';
import { decodeStored } from '../decode-stored.ts';

let world: Awaited<ReturnType<typeof issuance>>;
let streamId: string;
let statements: string[] = [];

const side = await testReadModels();
afterAll(() => side.close());
/** An add-on that is notified of its activation and of its deactivation for an organization. */
beforeEach(async () => {
  await side.clear();
  await side.pool.query(
    'truncate signal_sets, signal_streams, signal_grants, signal_deactivations, signal_holders',
  );
  world = await issuance();
  streamId = await giveStream(side.pool, world.addonId);
  await world.deactivate();
  const { url } = side.database;
  await projectAll(url, world.store);
  await projectAll(url, world.store, { name: historyGroup, projections: historyProjections });
  await queueTold(url, world.store);
});

const counted: PipelinedReader = {
  query: (statement, values) => {
    statements.push(statement.name);
    return side.reader.query(statement, values);
  },
  close: () => Promise.resolve(),
};

const page = async (about: About, more: object = {}) => {
  statements = [];
  const timeline = makeTimeline({
    log: world.store,
    decode: decodeStored,
    history: makeHistoryReader(counted),
    streams: makeStreamsByOwner(counted),
    names: readNames(counted),
    told: readTold(counted),
    now: () => t0,
  });
  return presentPage(await timeline.page({ about, limit: 100, ...more }));
};
const ofOrganization = (): About => ({ kind: 'organization', id: world.organizationId });
/** What each event of these types has told, by its type. */
const told = async () =>
  (await page(ofOrganization())).entries.flatMap(({ type, told }) => told.map((one) => ({ type, ...one })));

const end = (jti: string, error: string | null, now: number) =>
  inPoolTransaction(side.pool, (tx) => endSets(tx, streamId, [{ jti, error }], now));

test('SG-12: a timeline says of each event who was notified of what, whether that waits, and when it was acknowledged or refused', async () => {
  const [first, second] = await told();
  const set = {
    addon: { kind: 'addon', id: world.addonId, name: 'Door' },
    jti: expect.stringMatching(/^[\w-]{22}$/),
    state: 'waiting',
    acknowledged_at: null,
  };
  expect([first, second]).toEqual([
    { type: 'AddonActivated', event: `${issuer}/signals/addon-activated`, ...set },
    { type: 'AddonDeactivated', event: `${issuer}/signals/addon-deactivated`, ...set },
  ]);
  const [acknowledgedAt, refusedAt] = [t0 + 1_000, t0 + 2_000].map((time) => new Date(time).toISOString());
  await end(first?.jti ?? '', null, t0 + 1_000);
  await end(second?.jti ?? '', 'invalid_key', t0 + 2_000);
  expect(await told()).toEqual([
    { ...first, state: 'acknowledged', acknowledged_at: acknowledgedAt },
    { ...second, state: 'refused', acknowledged_at: refusedAt },
  ]);
  await inPoolTransaction(side.pool, (tx) => replaySets(tx, streamId, { commit: 0n, prepare: 0n }));
  expect(await told(), 'a replay leaves the time that was').toEqual([
    { ...first, acknowledged_at: acknowledgedAt },
    { ...second, acknowledged_at: refusedAt },
  ]);
});

test('SG-12: one statement tells it for a whole page, by its index; a page without events asks for nothing', async () => {
  const { entries } = await page(ofOrganization());
  expect(entries.length).toBeGreaterThan(2);
  expect(statements.filter((name) => name === 'told-of-events')).toHaveLength(1);
  expect((await page(ofOrganization(), { filters: { to: 0 } })).entries).toEqual([]);
  expect(statements).not.toContain('told-of-events');

  await side.pool.query(
    `insert into signal_sets (stream_id, jti, queue, commit_position, prepare_position, part, at, claims, waiting, head)
     select $1, n::text, 'user:' || n, 1000000 + n, 1000000 + n, 0, now(), '{"events": {"urn:x": {}}}', true, false
     from generate_series(1, 5000) as n`,
    [streamId],
  );
  await side.pool.query('analyze signal_sets, signal_streams');
  const places = [1, 17, 4000, 9000].map((n): Position => {
    const at = BigInt(1_000_000 + n);
    return { commit: at, prepare: at };
  });
  const client = new pg.Client({ connectionString: side.database.url });
  await client.connect();
  try {
    const { rows } = await explain(client, await sentBy((reader) => readTold(reader)(places)));
    expect(rows).toEqual({ signal_sets: 3, signal_streams: 3 });
  } finally {
    await client.end();
  }
});

test('SG-12: an organization’s timeline shows what is queued for that organization, every other timeline everything', () => {
  const [organization, addon, user, grant] = (['organization', 'addon', 'user', 'grant'] as const).map(
    (kind): About => ({ kind, id: '01A' }),
  );
  const queues = [
    'organization:01A',
    'organization:01B',
    'organization:01AB',
    'user:01A',
    'addon',
    'stream',
    'verification',
  ] as const;
  const shown = (about: About | undefined) => queues.filter((queue) => about && isShownIn(about, queue));
  expect(shown(organization)).toEqual(['organization:01A']);
  expect([addon, user, grant].map(shown)).toEqual([queues, queues, queues]);
});

test('SG-12: the words of a message are the end of its type, and how its delivery stands', () => {
  const one = { addon: { kind: 'addon', id: 'A', name: null }, jti: 'J' } as const;
  const caep = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked';
  const wordsOf = (
    state: 'waiting' | 'acknowledged' | 'refused',
    acknowledgedAt: string | null = '2026-01-01T00:00:00.000Z',
  ) => {
    const told = { ...one, event: caep, state, acknowledgedAt };
    return `${shortEventOf(told)}, ${stateWords(told)}`;
  };
  expect([wordsOf('waiting', null), wordsOf('waiting'), wordsOf('acknowledged'), wordsOf('refused')]).toEqual(
    [
      'session-revoked, waiting',
      'session-revoked, waiting again after a replay, last answered',
      'session-revoked, acknowledged',
      'session-revoked, refused by the receiver',
    ],
  );
  const entry = {
    time: 'then',
    what: 'it ended',
    why: null,
    actor: null,
    token_id: null,
    type: 'SessionEnded',
  };
  const told = [{ ...one, event: caep, state: 'waiting', acknowledged_at: null }];
  const page = { about: one.addon, entries: [{ ...entry, told }], earlier: null, later: null, dropped: [] };
  expect(timelineText({ ...page, complete: true, removed_until: null } as never)).toContain(
    'message to A: session-revoked, waiting, jti J\n',
  );
});
