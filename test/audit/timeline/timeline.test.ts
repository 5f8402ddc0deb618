import { afterAll, beforeEach, expect, test } from 'vitest';
import { sentenceOf, textOf } from '../../../src/domain/kernel/sentence.ts';
import { makeTimeline } from '../../../src/audit/timeline/make-timeline.ts';
import { presentPage } from '../../../src/audit/timeline/present-timeline.ts';
import type { Timeline } from '../../../src/audit/timeline/timeline.ts';
import type { About } from '../../../src/domain/event-subjects.ts';
import { typesWithSubjects } from '../../../src/domain/events.ts';
import { accountStream, auditStream, grantStream } from '../../../src/domain/streams.ts';
import { historyGroup, historyProjections } from '../../../src/projections/history/history.ts';
import { readNames } from '../../../src/projections/kernel/names.ts';
import { makeHistoryReader } from '../../../src/projections/history/read-history.ts';
import { makeStreamsByOwner } from '../../../src/projections/kernel/streams-by-owner.ts';
import { readTold } from '../../../src/signals/read-sets-of-events.ts';
import { days, seconds, t0 } from '../../support/scenes/grants.ts';
import { issuance } from '../../support/memory/issuance.ts';
import { valueOf } from '../../support/outcomes.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { projectAll } from '../../support/log/test-projector.ts';
import { decodeStored } from '../decode-stored.ts';
import { profileOf } from '../../support/scenes/profile.ts';

let world: Awaited<ReturnType<typeof issuance>>;
let timeline: Timeline;
let now = t0;

const side = await testReadModels();
afterAll(() => side.close());
beforeEach(async () => {
  await side.clear();
  now = t0;
  world = await issuance();
  timeline = makeTimeline({
    log: world.store,
    decode: decodeStored,
    history: makeHistoryReader(side.reader),
    streams: makeStreamsByOwner(side.reader),
    names: readNames(side.reader),
    told: readTold(side.reader),
    now: () => now,
  });
});

const project = async () => {
  const { url } = side.database;
  await projectAll(url, world.store);
  await projectAll(url, world.store, { name: historyGroup, projections: historyProjections });
};
const organization = (): About => ({ kind: 'organization', id: world.organizationId });
const told = async (about: About, more: object = {}) =>
  (await timeline.page({ about, limit: 100, ...more })).entries;
const lastGrant = () => {
  const stream = world.store.all().findLast((event) => event.stream.startsWith('grant-'))?.stream ?? '';
  return stream.slice('grant-'.length);
};

/** As the reaction notes it, with what made it. */
const noteRevoked = async (grantId: string) => {
  const cause = world.store.all().findLast(({ event }) => event.type === 'AddonDeactivated');
  const stream = grantStream(grantId);
  const { revision } = await world.store.read(stream);
  await world.store.append(stream, revision, [
    {
      event: { type: 'GrantRevoked', data: { reason: 'addon-deactivated', at: t0 } },
      metadata: { actor: 'revoke-on-deactivation', causationId: cause?.id ?? '' },
    },
  ]);
};

test('HI-04: a page that reaches into a dropped month says so, and one that does not says nothing', async () => {
  await world.newPair();
  await project();
  const page = (more: object) => timeline.page({ about: organization(), limit: 2, ...more });
  const [first, second] = (await page({})).entries;
  const month = first?.time.slice(0, 7) ?? '';
  await side.pool.query(
    `insert into history_dropped (month, first_position, last_position, dropped_at) values ($1, $2, $2, 0)`,
    [month, first?.position.commit],
  );
  expect((await page({})).dropped).toEqual([month]);
  expect((await page({ after: second?.position })).dropped).toEqual([]);
  expect((await page({ filters: { from: Date.parse(`${month}-28T00:00:00Z`) + 9e8 } })).dropped).toEqual([]);
  await side.pool.query('delete from history_dropped');
});

test('an organization learns what happened, in order, in words, by whom and why, with names and ids', async () => {
  await world.newPair();
  await world.deactivate();
  await noteRevoked(lastGrant());
  await project();
  const entries = await told(organization());
  const [quay, door, ada] = [
    `Town (${world.organizationId})`,
    `Door (${world.addonId})`,
    `Ada (${world.userId})`,
  ];
  const grant = lastGrant();
  expect(entries.map(({ words }) => textOf(words))).toEqual([
    `${quay} was created as "Town".`,
    `${door} was activated for ${quay} (epoch 1).`,
    `A code for openid access-rights:read on the records of ${quay} was issued to ${door}: grant ${grant}, approved by ${ada}.`,
    `${door} exchanged the code of grant ${grant} for its first tokens; the access token lasts until 2027-01-15T09:00:00.000Z.`,
    `${door} was deactivated for ${quay}: everything granted in epoch 1 ended.`,
    `The grant ${grant} of ${door} ended, with every token under it.`,
  ]);
  const deactivated = world.store.all().find(({ event }) => event.type === 'AddonDeactivated');
  const at = new Date(deactivated?.created ?? 0).toISOString();
  expect(entries.map(({ why }) => why && textOf(why))).toEqual([
    null,
    null,
    null,
    null,
    null,
    `the add-on was deactivated at ${at} by ${ada} (${deactivated?.stream}@1)`,
  ]);
  expect(entries.map(({ actor }) => actor)).toEqual([
    null,
    { kind: 'user', id: world.userId, name: 'Ada' },
    { kind: 'user', id: world.userId, name: 'Ada' },
    { kind: 'addon', id: world.addonId, name: 'Door' },
    { kind: 'user', id: world.userId, name: 'Ada' },
    { kind: 'service', id: 'revoke-on-deactivation' },
  ]);
  const stored = world.store
    .all()
    .filter(({ position }) => entries.some((entry) => entry.position.commit === position.commit));
  expect(entries.map(({ eventId, stream, revision, time }) => ({ eventId, stream, revision, time }))).toEqual(
    stored.map(({ id, stream, revision, created }) => ({
      eventId: id,
      stream,
      revision,
      time: new Date(created).toISOString(),
    })),
  );
  expect(entries.at(-1)?.concerns).toEqual([
    { kind: 'grant', id: grant, name: null },
    { kind: 'organization', id: world.organizationId, name: 'Town' },
    { kind: 'addon', id: world.addonId, name: 'Door' },
    { kind: 'user', id: world.userId, name: 'Ada' },
  ]);
});

test('pages follow each other without a gap or a repeat, forward and backward', async () => {
  for (let i = 0; i < 4; i++) await world.newPair();
  await project();
  const all = (await told(organization())).map(({ eventId }) => eventId);
  const forward: string[] = [];
  let page = await timeline.page({ about: organization(), limit: 3 });
  expect(page.earlier).toBeNull();
  for (;;) {
    forward.push(...page.entries.map(({ eventId }) => eventId));
    if (!page.later) break;
    page = await timeline.page({ about: organization(), limit: 3, after: page.later });
    expect(page.earlier).not.toBeNull();
  }
  expect(forward).toEqual(all);
  const backward: string[] = [];
  page = await timeline.page({ about: organization(), limit: 3, before: 'end' });
  expect(page.later).toBeNull();
  for (;;) {
    backward.unshift(...page.entries.map(({ eventId }) => eventId));
    if (!page.earlier) break;
    page = await timeline.page({ about: organization(), limit: 3, before: page.earlier });
  }
  expect(backward).toEqual(all);
});

test('records of an organization are shown when they are asked for, in their place, and no other organization’s', async () => {
  const { organizationId, commands } = world;
  const profile = (id: string, organization = organizationId) =>
    commands.recordProfile({
      organizationId: organization,
      id,
      version: 1,
      record: profileOf('Eve Example', { email: 'e@x.org' }),
    });
  await profile('P1');
  await world.newPair();
  await profile('P2');
  await profile('P3', 'OTHER');
  await project();
  const types = (entries: readonly { readonly type: string }[]) => entries.map(({ type }) => type);
  const all = [
    'OrganizationCreated',
    'AddonActivated',
    'ProfileRecorded',
    'AuthorizationCodeIssued',
    'AuthorizationCodeRedeemed',
    'ProfileRecorded',
  ];
  expect(types(await told(organization(), { records: true }))).toEqual(all);
  expect(types(await told(organization()))).toEqual(all.filter((type) => type !== 'ProfileRecorded'));
  for (const limit of [1, 2, 4]) {
    let page = await timeline.page({ about: organization(), limit, records: true });
    const walked = [...page.entries];
    while (page.later) {
      page = await timeline.page({ about: organization(), limit, records: true, after: page.later });
      walked.push(...page.entries);
    }
    expect(types(walked)).toEqual(all);
    page = await timeline.page({ about: organization(), limit, records: true, before: 'end' });
    const back = [...page.entries];
    while (page.earlier) {
      page = await timeline.page({ about: organization(), limit, records: true, before: page.earlier });
      back.unshift(...page.entries);
    }
    expect(types(back)).toEqual(all);
  }
  const told3 = await told(organization(), { records: true, filters: { eventTypes: ['ProfileRecorded'] } });
  expect(told3.map(({ words }) => textOf(words))).toEqual([
    'The host platform sent the profile P1, version 1.',
    'The host platform sent the profile P2, version 1.',
  ]);
});

test.each([
  [{ data: {} }, 'An event of the type AddonActivated, which cannot be decoded.'],
  [
    { metadata: { version: 9, maySkip: true } },
    'An event of a newer version: AddonActivated. This version cannot describe it.',
  ],
  [{ type: 'AddonPainted' }, 'An event of a newer version: AddonPainted. This version cannot describe it.'],
])(
  'FX-39: an event with %j stays in the timeline as what it is, and the others as ever',
  async (change, words) => {
    await world.newPair();
    await project();
    const damaged = makeTimeline({
      log: {
        ...world.store,
        readStored: async (...asked) =>
          (await world.store.readStored(...asked)).map((stored) =>
            stored.type === 'AddonActivated' ? { ...stored, ...change } : stored,
          ),
      },
      decode: decodeStored,
      history: makeHistoryReader(side.reader),
      streams: makeStreamsByOwner(side.reader),
      names: readNames(side.reader),
      told: readTold(side.reader),
      now: () => now,
    });
    const { entries } = await damaged.page({ about: organization(), limit: 9 });
    expect(entries.map((entry) => textOf(entry.words))).toContainEqual(words);
    expect(entries).toHaveLength(4);
  },
);

test('grants are bars from issue to end, with the reason: also what no event says, because its time has come', async () => {
  await world.newPair();
  const live = lastGrant();
  valueOf(await world.issueOutcome());
  const unexchanged = lastGrant();
  const { refreshToken } = await world.newPair();
  const reused = lastGrant();
  world.pass(seconds(100));
  const next = valueOf(await world.refresh(refreshToken));
  world.pass(seconds(100));
  valueOf(await world.refresh(next.refreshToken));
  world.pass(seconds(100));
  await world.refresh(refreshToken);
  await project();
  now = t0 + seconds(3000);
  const reasons = async (more: object = {}) =>
    (await timeline.grantBars({ about: organization(), ...more })).bars.map(({ grantId, reason }) => [
      grantId,
      reason,
    ]);
  expect(await reasons()).toEqual([
    [live, null],
    [unexchanged, 'code-expired'],
    [reused, 'refresh-token-reused'],
  ]);
  now = t0 + days(31);
  expect(await reasons()).toEqual([
    [live, 'tokens-expired'],
    [unexchanged, 'code-expired'],
    [reused, 'refresh-token-reused'],
  ]);
  expect(await reasons({ limit: 1 })).toEqual([[reused, 'refresh-token-reused']]);
  const { earlier } = await timeline.grantBars({ about: organization(), limit: 1 });
  expect(await reasons({ before: earlier, limit: 1 })).toEqual([[unexchanged, 'code-expired']]);
  // The code's expiry is by the world's clock, which began long after the log's own.
  expect(await reasons({ from: t0 + days(30) })).toEqual([[live, 'tokens-expired']]);
  const { bars } = await timeline.grantBars({ about: { kind: 'grant', id: reused } });
  expect(bars).toMatchObject([
    {
      subject: { kind: 'organization', id: world.organizationId, name: 'Town' },
      approvedBy: { id: world.userId, name: 'Ada' },
      addon: { id: world.addonId, name: 'Door' },
      scopes: ['openid', 'access-rights:read'],
      why: sentenceOf('a used refresh token was presented again, so somebody else may have had it'),
    },
  ]);
});

test('a bar ends with the deactivation itself, however late that was noted in the grant', async () => {
  await world.newPair();
  await world.deactivate();
  const deactivated = world.store.all().find(({ event }) => event.type === 'AddonDeactivated');
  await noteRevoked(lastGrant());
  await project();
  const { bars } = await timeline.grantBars({ about: organization() });
  expect(bars).toMatchObject([
    { endedAt: new Date(deactivated?.created ?? 0).toISOString(), reason: 'addon-deactivated' },
  ]);
});

test('nothing that could be tried as a secret is shown', async () => {
  await world.newPair();
  await project();
  const text = JSON.stringify(presentPage(await timeline.page({ about: organization(), limit: 100 })));
  const secrets = world.store.all().flatMap(({ event }) => ('salt' in event.data ? [event.data.salt] : []));
  expect(secrets.length).toBeGreaterThan(1);
  for (const secret of secrets) expect(text).not.toContain(secret);
});

test('what nobody ever heard of does not exist', async () => {
  expect(await timeline.exists(organization())).toBe(true);
  expect(await timeline.exists({ kind: 'grant', id: 'NONE' })).toBe(false);
});

test('who asks for an id does not learn whose it is', async () => {
  const { organizationId, userId } = world;
  const foreign = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  await world.store.append(accountStream(foreign), 'no-stream', [
    {
      event: {
        type: 'AccountCreated',
        data: {
          emailVouchedBy: 'operator',
          userId: foreign,
          email: 'eve@elsewhere.example',
          name: 'Eve Elsewhere',
          roles: [],
          at: t0,
        },
      },
    },
  ]);
  const data = {
    organizationId,
    query: 'timeline',
    parameters: [{ name: 'user', value: foreign }],
    at: t0,
  } as const;
  await world.store.append(auditStream(userId), 'no-stream', [
    { event: { type: 'AuditQueried', data }, metadata: { actor: userId } },
  ]);
  await project();
  const filters = { eventTypes: ['AuditQueried'] } as const;
  const entry = (await told(organization(), { filters })).at(-1);
  expect(entry?.type).toBe('AuditQueried');
  expect(entry?.concerns).toContainEqual({ kind: 'user', id: foreign, name: null });
  const page = presentPage(await timeline.page({ about: organization(), limit: 100, filters }));
  expect(JSON.stringify(page)).not.toContain('Elsewhere');
  expect((await told({ kind: 'user', id: foreign }))[0]?.words).toContainEqual({
    kind: 'name',
    text: 'Eve Elsewhere',
  });
});

test('FX-97: searches are in no timeline unless asked for, and name what the organization’s other events are about', async () => {
  const { organizationId, userId, addonId } = world;
  await world.newPair();
  const before = world.store.all().length;
  const asked = (name: string, value: string) => ({
    type: 'AuditQueried' as const,
    data: { organizationId, query: 'timeline' as const, parameters: [{ name, value }], at: t0 },
  });
  const searches = [
    asked('addon', addonId),
    asked('grant', lastGrant()),
    asked('actor', userId),
    asked('actor', `addon:${addonId}`),
  ];
  await world.store.append(
    auditStream(userId),
    'no-stream',
    searches.map((event) => ({ event, metadata: { actor: userId } })),
  );
  await project();
  const abouts: readonly About[] = [
    organization(),
    { kind: 'user', id: userId },
    { kind: 'addon', id: addonId },
    { kind: 'grant', id: lastGrant() },
  ];
  for (const about of abouts) {
    for (const more of [{}, { before: 'end' }, { filters: { actor: userId } }]) {
      const types = (await told(about, more)).map(({ type }) => type);
      expect(types).not.toContain('AuditQueried');
    }
    const found = await told(about, { filters: { eventTypes: ['AuditQueried'] } });
    expect(found.length).toBeGreaterThan(0);
  }
  const acted = await told({ kind: 'user', id: userId }, { acted: true });
  expect(
    acted.map(({ type }) => type),
    'all acts of a user',
  ).toContain('AuditQueried');
  expect(await told(organization())).toHaveLength(
    (await told(organization(), { filters: { eventTypes: typesWithSubjects } })).length - searches.length,
  );
  expect(world.store.all()).toHaveLength(before + searches.length);
  const found = await told(organization(), { filters: { eventTypes: ['AuditQueried'] } });
  const names = found.map(({ source }) => (typeof source === 'string' ? null : source.names));
  for (const known of names) expect([known?.has(addonId), known?.has(userId)]).toEqual([true, true]);
  const { source } = found[1] ?? {};
  expect(typeof source === 'object' && source.grants.get(lastGrant())).toBe(addonId);
});

test('everything that a user did is found, whomever it concerned, and nothing of anybody else', async () => {
  await world.newPair();
  await world.newPair();
  await project();
  const actors = new Set(world.store.all().map(({ metadata }) => metadata.actor));
  const own = world.store
    .all()
    .filter(
      ({ metadata, event }) =>
        metadata.actor === world.userId && typesWithSubjects.some((type) => type === event.type),
    );
  expect([own.length > 2, actors.size > 1]).toEqual([true, true]);
  const about: About = { kind: 'user', id: world.userId };
  const found = await told(about, { acted: true });
  expect(found.map(({ position }) => position)).toEqual(own.map(({ position }) => position));
  const backward = await timeline.page({ about, acted: true, limit: 1, before: 'end' });
  expect(backward.entries).toEqual(found.slice(-1));
  expect(backward.earlier).toEqual(found.at(-1)?.position);
  expect(await told(about, { acted: true, filters: { eventTypes: ['ScopesApproved'] } })).toEqual(
    found.filter(({ type }) => type === 'ScopesApproved'),
  );
});
