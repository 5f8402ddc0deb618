import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../../src/domain/kernel/decision.ts';
import { exchangeCode } from '../../../src/domain/access/grant-exchange.ts';
import { refreshTokens, withholdTokens } from '../../../src/domain/access/grant-refresh.ts';
import { revokeByAddon, revokeGrant } from '../../../src/domain/access/grant-revoke.ts';
import { counted, type Grant, grantDecider, type GrantEvent } from '../../../src/domain/access/grant.ts';
import { accessTokenOf, revokeAccessToken } from '../../../src/domain/access/access-token.ts';
import { grantSubject } from '../../../src/domain/fence/fence.ts';
import { grantStream } from '../../../src/domain/streams.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { issuedAt } from '../../../src/commands/access/find-rotation.ts';
import { type Known, knownFrom } from '../../../src/commands/kernel/handle.ts';
import { loadGrant, loadGrantEnd, readNewest } from '../../../src/commands/access/load-grant.ts';
import { challenge, codeIssued, lifetimes, t0, terms, verifier } from '../../support/scenes/grants.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type Step = {
  readonly act: 'exchange' | 'refresh' | 'withhold' | 'give back' | 'end' | 'end by add-on';
  /** Of the presented token, counted from the newest. */
  readonly age: number;
  readonly foreign: boolean;
  readonly after: number;
};

const often = <T>(weight: number, value: T) => ({ weight, arbitrary: fc.constant(value) });

const anyStep: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    often(20, 'refresh' as const),
    often(2, 'exchange' as const),
    often(3, 'withhold' as const),
    often(4, 'give back' as const),
    { weight: 1, arbitrary: fc.constantFrom('end' as const, 'end by add-on' as const) },
  ),
  age: fc.oneof(often(8, 0), { weight: 1, arbitrary: fc.nat(3) }),
  foreign: fc.oneof(often(5, false), often(1, true)),
  after: fc.oneof(often(4, 1_000), { weight: 1, arbitrary: fc.constantFrom(31_000, 1_800_000, 3_600_000) }),
});

const proof = { addonId: terms.addonId, redirectUri: terms.redirectUri, codeVerifier: verifier };
const pair = {
  scopes: null,
  resources: null,
  keyId: 'k1',
  fence: null,
  withdrawn: null,
  rotationsPerHour: 0,
  outage: 0,
  lifetimes,
};

const decide = (
  grant: Grant,
  { act, age, foreign }: Step,
  now: number,
  salt: string,
): readonly GrantEvent[] => {
  const rotation = Math.max(0, (grant.status === 'live' ? grant.current.rotation : 0) - age);
  const addonId = foreign ? 'another' : terms.addonId;
  switch (act) {
    case 'exchange':
      return exchangeCode(grant, { ...proof, ...pair, addonId, computedChallenge: challenge, salt, now })
        .events;
    case 'refresh':
      return refreshTokens(grant, { ...pair, addonId, rotation, salt, now }).events;
    case 'withhold':
      return withholdTokens(grant, { rotation, now }).events;
    case 'give back':
      return revokeAccessToken(accessTokenOf(grant, { rotation, isRevoked: false }), { rotation, now })
        .events;
    case 'end':
      return revokeGrant(grant, { reason: 'addon-deactivated', now }).events;
    case 'end by add-on':
      return revokeByAddon(grant, { addonId, rotation, now }).events;
  }
};

/** All that these steps make of a grant; `turns` times over, so that streams get longer than what is read of them. */
const historyOf = (steps: readonly Step[]): readonly GrantEvent[] => {
  const events: GrantEvent[] = [codeIssued];
  let now = t0;
  steps.forEach((step, index) => {
    now += step.after;
    const made = decide(fold(grantDecider, events), step, now, `salt${index}`);
    events.push(...made);
  });
  return events;
};

const redeem: Step = { act: 'exchange', age: 0, foreign: false, after: 5_000 };
const stream = grantStream(terms.grantId);

const storeOf = async (events: readonly GrantEvent[]) => {
  const store = memoryStore();
  await store.append(
    stream,
    'no-stream',
    events.map((event) => ({ event })),
  );
  return store;
};

/** By every event: what rotations say of those before them is counted anew. */
const wholeOf = (events: readonly RecordedEvent[]): Known<Grant> => {
  let counts = { rejections: 0, hour: { began: 0, rotations: 0 } };
  const recount = (event: GrantEvent): GrantEvent => {
    if (event.type === 'AuthorizationCodeRedeemed')
      counts = { rejections: 0, hour: { began: event.data.at, rotations: 0 } };
    if (event.type === 'CodeExchangeRejected' || event.type === 'RefreshRejected')
      counts = { ...counts, rejections: counts.rejections + 1 };
    if (event.type !== 'TokensRefreshed') return event;
    counts = { ...counts, hour: counted(counts.hour, event.data.at) };
    return { ...event, data: { ...event.data, counts } };
  };
  return knownFrom(
    grantDecider,
    events.map((recorded) => ({ ...recorded, event: recount(recorded.event as GrantEvent) })),
  );
};

const own = ({ fenced, ...known }: Known<Grant>) => ({
  ...known,
  fenced: fenced.filter(({ subject }) => subject === grantSubject(terms.grantId)),
});

const gaveBack: Step = { act: 'give back', age: 0, foreign: false, after: 1_000 };
const refreshed: Step = { ...gaveBack, act: 'refresh' };
/** Its only rotation is among its first events, and the redemption among its newest. */
const onceRefreshed: [Step[], Step[], number] = [
  [],
  [refreshed, ...Array.from({ length: 7 }, () => gaveBack)],
  0,
];

test('GR-01: the first and the newest events come to the same grant as the whole stream, at every moment of every history', async () => {
  const histories = fc.tuple(
    fc.array(anyStep, { maxLength: 6 }),
    fc.array(anyStep, { minLength: 1, maxLength: 60 }),
    fc.nat(),
  );
  await fc.assert(
    fc.asyncProperty(histories, async ([before, after, earlier]) => {
      const events = historyOf([...before, redeem, ...after]);
      const full = await storeOf(events);
      for (let length = 1; length <= events.length; length += 1) {
        const store = await storeOf(events.slice(0, length));
        const whole = wholeOf(store.all());
        const known = wholeOf(store.all().slice(0, 1 + (earlier % length)));
        const newest = await readNewest(store, stream);
        // The newest events may have been read before the first ones, and others come in between.
        const first = full.all().slice(0, 16);
        for (const hints of [{}, { known }, { first: store.all().slice(0, 16) }, { first, newest }])
          expect(own(await loadGrant(store, stream, hints))).toEqual(own(whole));
        const end = await loadGrantEnd(store, stream);
        expect(end.state.status).toBe(whole.state.status === 'revoked' ? 'revoked' : 'lasting');
        expect(end.revision).toBe(whole.revision);
      }
    }),
    { ...propertyRuns(40), examples: [[onceRefreshed]] },
  );
});

test('GR-01: every pair that was issued is found by its number, whatever lies between the rotations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 90 }), async (steps) => {
      const events = historyOf([redeem, ...steps.filter(({ act }) => !act.startsWith('end'))]);
      const store = await storeOf(events);
      const known = wholeOf(store.all());
      if (known.state.status !== 'live') return;
      const live = { ...known, state: known.state };
      const pairs = events.flatMap(({ type, data }) => (type === 'TokensRefreshed' ? [data] : []));
      for (const { rotation, at } of pairs) expect(await issuedAt(store, stream, live, rotation)).toBe(at);
      expect(await issuedAt(store, stream, live, 0)).toBe(known.state.redeemedAt);
      expect(await issuedAt(store, stream, live, known.state.current.rotation + 1)).toBeNull();
    }),
    propertyRuns(40),
  );
});
