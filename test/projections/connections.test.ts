import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import { opensRecords, type Scope } from '../../src/domain/access/scope.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../support/log/test-projector.ts';
import { issued, ofOrganization, redeemed, refreshed, revoked, tell, type Told } from './follow/a-story.ts';

const side = await testReadModels();
afterEach(() => side.clear());
afterAll(() => side.close());

type Row = Readonly<Record<string, unknown>>;
const rowsOf = async (sql: string): Promise<readonly Row[]> => (await side.pool.query<Row>(sql)).rows;

/** The same from the grants themselves: what nobody wants to do while an administrator waits. */
const counted = () =>
  rowsOf(`
    select organization_id, addon_id, epoch, user_id,
           (select coalesce(string_agg(scope, ' ' order by scope collate "C"), '')
            from jsonb_array_elements_text(scopes) as scope) as scopes,
           (count(*) filter (where status = 'issued'))::int as unredeemed,
           (count(*) filter (where status = 'redeemed'))::int as live,
           max(greatest(redeemed_at, refreshed_at)) as last_token_at
    from grants where organization_id is not null group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`);
const kept = () => rowsOf('select * from connections order by 1, 2, 3, 4, 5');

const approved = (
  grantId: string,
  { scopes, userId, own = false, epoch = 1, addonId = 'A1' }: Partial<Approval>,
): Told => {
  const subject = own ? ({ kind: 'user', userId: 'U1', epoch: 0 } as const) : ofOrganization(epoch);
  const told = issued(grantId, subject, addonId);
  const data = { ...told.event.data, userId: userId ?? 'U1', scopes: scopes ?? ['profiles:read' as const] };
  return { ...told, event: { ...told.event, data } };
};

type Approval = {
  readonly scopes: readonly Scope[];
  readonly userId: string;
  readonly own: boolean;
  readonly epoch: number;
  readonly addonId: string;
};
/** A grant: how far it comes, and when it takes each step compared to others. */
type Life = Approval & { readonly steps: number; readonly ends: boolean; readonly turns: readonly number[] };

const lives = fc.array(
  fc.record<Life>({
    scopes: fc.shuffledSubarray([
      'profiles:read',
      'openid',
      'profile',
      'email',
      'access-rights:read',
    ] as const),
    userId: fc.constantFrom('U1', 'U2'),
    own: fc.nat(4).map((n) => n === 0),
    epoch: fc.integer({ min: 1, max: 2 }),
    addonId: fc.constantFrom('A1', 'A2'),
    steps: fc.nat(4),
    ends: fc.boolean(),
    turns: fc.array(fc.nat(1000), { minLength: 6, maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 25 },
);

const storyOf = (life: Life, n: number): readonly Told[] => {
  const id = `G${n}`;
  const begun = [approved(id, life), redeemed(id), refreshed(id, 1), refreshed(id, 2), refreshed(id, 3)];
  return [...begun.slice(0, life.steps + 1), ...(life.ends ? [revoked(id)] : [])];
};

/** All lives at once, each in its own order. */
const interleaved = (all: readonly Life[]): readonly Told[] =>
  all
    .flatMap((life, n) => {
      const turns = life.turns.toSorted((a, b) => a - b);
      return storyOf(life, n).map((told, step) => ({ told, turn: turns[step] ?? 0 }));
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ told }) => told);

test('DE-06: whatever happens to grants, and however it is cut and replayed, the counts are those of the grants', async () => {
  await fc.assert(
    fc.asyncProperty(lives, fc.integer({ min: 1, max: 40 }), async (all, batchSize) => {
      const log = scriptedLog();
      tell(log, ...interleaved(all), revoked('unheard-of'));
      await side.clear();
      await projectAll(side.database.url, log, { batchSize });
      const rows = await kept();
      expect(rows).toEqual(await counted());
      await side.clear();
      await projectAll(side.database.url, log);
      expect(await kept()).toEqual(rows);
    }),
    propertyRuns(15),
  );
});

test('FX-24: openid, profile and email are three scopes of grants and their sums, and open no list', async () => {
  const log = scriptedLog();
  const sets = [['openid'], ['openid', 'email'], ['openid', 'profile', 'email', 'profiles:read']] as const;
  sets.forEach((scopes, n) => {
    const addonId = `A${n}`;
    tell(log, approved(`G${n}`, { scopes, addonId }), redeemed(`G${n}`));
  });
  await projectAll(side.database.url, log);
  const rows = await side.readModels.grants({}, { after: null, limit: 9 });
  expect(rows.map(({ scopes }) => scopes)).toEqual(sets);
  for (const [n, scopes] of sets.entries())
    expect(await side.readModels.approvals('O1', `A${n}`, 1)).toMatchObject([{ scopes }]);
  // A grant that opens no list counts as used until its last token.
  for (const { addonId, lastTokenAt, scopes } of rows) {
    const unused = { since: lastTokenAt ?? 0, countedSince: 0 };
    const listed = await side.readModels.grants({ addonId, unused }, { after: null, limit: 9 });
    expect(listed).toHaveLength(opensRecords(scopes) ? 1 : 0);
  }
});
