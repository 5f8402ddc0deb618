import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';
import { keptBeyondEnd, longestAccessToken } from '../../src/domain/fence/fence-retention.ts';
import type { FenceRow } from '../../src/domain/fence/fence.ts';
import type { GrantEvent } from '../../src/domain/access/grant.ts';
import { readFenceEnd, type RowEnd } from '../../src/projections/retention/clean-tables.ts';
import { days, seconds, t0 } from '../support/scenes/grants.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { modelAt, type ModelLifetimes } from './grant-model.ts';
import { anyCommands } from './grant-steps.ts';
import { openWorld, type Clean } from './grant-world.ts';

const hours = (count: number): number => count * 3_600_000;

const lifetimes: ModelLifetimes = {
  code: seconds(60),
  accessToken: hours(12),
  refreshIdle: days(2),
  refreshAbsolute: days(4),
  refreshGrace: seconds(30),
  refreshGraceOutage: seconds(300),
  replayTolerance: seconds(1),
};
const long = [hours(1), hours(11), hours(25), days(2), days(4)];

type Store = Parameters<Clean>[0]['store'];
type Rule = (store: Store, row: FenceRow) => Promise<RowEnd>;
type Cleaner = { readonly rule: Rule; readonly beyond: number };

const asItIs: Cleaner = { rule: (store, row) => readFenceEnd(store, row), beyond: keptBeyondEnd };

const eventsOf = (store: Store, grantId: string): readonly GrantEvent[] =>
  store
    .all()
    .filter(({ stream }) => stream === `grant-${grantId}`)
    .map(({ event }) => event as GrantEvent);

/** When the last credential ends that a row could refuse, told from every event there is. Infinity where there may always be one. */
const lastCredentialEnds = (store: Store, { subject }: FenceRow): number => {
  const [, kind, grantId = '', rotation] = /^(grant|access):([^.]+)(?:\.(\d+))?$/.exec(subject) ?? [];
  if (kind === undefined) return Infinity;
  return Math.max(
    ...eventsOf(store, grantId).flatMap(({ type, data }) => {
      const isMeant = kind === 'grant' || Number('rotation' in data ? data.rotation : 0) === Number(rotation);
      if (type === 'AuthorizationCodeIssued') return kind === 'grant' ? [data.expiresAt] : [];
      if (type !== 'AuthorizationCodeRedeemed' && type !== 'TokensRefreshed') return [];
      if (!isMeant) return [];
      return kind === 'grant' ? [data.accessExpiresAt, data.refreshIdleExpiresAt] : [data.accessExpiresAt];
    }),
  );
};

/** Clocks of instances may be so far apart (TR-04). */
const skew = 60_000;

const cleanerOf =
  ({ rule, beyond }: Cleaner, removed: string[]): Clean =>
  async ({ store, fence, now }) => {
    for (const row of fence.rows().values()) {
      const end = await rule(store, row);
      if (end === 'never' || end === 'gone' || end + beyond >= now) continue;
      if (lastCredentialEnds(store, row) > now - skew)
        expect.fail(`${row.subject} went while a credential that it refuses is inside its lifetime`);
      fence.remove(row.subject);
      removed.push(row.subject);
    }
  };

/** Every answer, each access token and each introspection as the model foretells it, which knows no cleaner. */
const play = async (cleaner: Cleaner, numRuns: number, removed: string[] = []) =>
  fc.check(
    fc.asyncProperty(anyCommands(lifetimes, long), async (commands) => {
      const setup = async () => ({
        model: { model: modelAt(t0), lifetimes },
        real: await openWorld(lifetimes, cleanerOf(cleaner, removed)),
      });
      await fc.asyncModelRun(setup, commands);
    }),
    { numRuns, endOnFailure: true },
  );

test('GR-05: no history makes a difference between a fence that is cleaned and one that is not', async () => {
  const removed: string[] = [];
  const { numRuns } = propertyRuns(25);
  const details = await play(asItIs, numRuns, removed);
  expect(details.failed ? fc.defaultReportMessage(details) : 'no difference').toBe('no difference');
  expect(removed.filter((subject) => subject.startsWith('grant:'))).not.toEqual([]);
  expect(removed.filter((subject) => subject.startsWith('access:'))).not.toEqual([]);
});

const ofGrants =
  (end: (events: readonly GrantEvent[]) => RowEnd): Rule =>
  async (store, row) =>
    row.subject.startsWith('grant:')
      ? end(eventsOf(store, row.subject.slice('grant:'.length)))
      : readFenceEnd(store, row);
const revokedAt = (events: readonly GrantEvent[]): number =>
  events.find(({ type }) => type === 'GrantRevoked')?.data.at ?? Infinity;
const ofAccessTokens =
  (after: number): Rule =>
  async (store, row) => {
    const end = await readFenceEnd(store, row);
    return row.subject.startsWith('access:') && typeof end === 'number'
      ? end - longestAccessToken + after
      : end;
  };
const closedOf =
  (kind: string): Rule =>
  (store, row) =>
    row.subject.startsWith(kind) ? Promise.resolve(0) : readFenceEnd(store, row);

describe('a cleaner that is wrong is found out', () => {
  test.each<[string, Cleaner]>([
    ['everything at once', { rule: () => Promise.resolve(0), beyond: 0 }],
    [
      'when the code is over',
      { ...asItIs, rule: ofGrants(([issued]) => (issued?.data.at ?? 0) + lifetimes.code) },
    ],
    [
      'when the access tokens are over, though refresh tokens are not',
      { ...asItIs, rule: ofGrants((events) => revokedAt(events) + longestAccessToken) },
    ],
    ['after an idle time', { ...asItIs, rule: ofGrants((events) => revokedAt(events) + hours(1)) }],
    ['of an access token that was given back, an hour later', { ...asItIs, rule: ofAccessTokens(hours(1)) }],
    ['of an account', { ...asItIs, rule: closedOf('account:') }],
    ['of a consent', { ...asItIs, rule: closedOf('consent:') }],
    ['of an activation', { ...asItIs, rule: closedOf('activation:') }],
    ['of an add-on', { ...asItIs, rule: closedOf('addon:') }],
  ])('a row goes: %s', async (_what, cleaner) => {
    expect((await play(cleaner, 150)).failed).toBe(true);
  });
});

test('no setting lets an access token live longer than the cleaner believes', () => {
  const { schema } = SETTINGS.ACCESS_TOKEN_TTL;
  expect(schema.safeParse(String(longestAccessToken / 1000)).success).toBe(true);
  expect(schema.safeParse(String(longestAccessToken / 1000 + 1)).success).toBe(false);
});
