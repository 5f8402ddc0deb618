import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asOf, makeAsOfFold, type AsOf, type Moment } from '../../../src/audit/timeline/as-of.ts';
import { organizationAccess } from '../../../src/audit/event-lookup/organization-access.ts';
import { recordChangeIn } from '../../../src/domain/records/record-change.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { memoryIndexes } from '../../support/memory/memory-indexes.ts';
import { lastConcerning, wholeLogAccess } from '../../support/log/whole-log.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { decodeStored } from '../decode-stored.ts';
import { aHistory, logOf, opensAndCloses, opensAndIsClosed, play, type History } from '../histories.ts';
import { thenOf } from '../then.ts';

const { signal } = new AbortController();
const ask = async (history: History, moment: Moment, now = Infinity, lag = { history: 3, streams: 5 }) => {
  const { organizationId, events } = history;
  const until = moment.position ?? (events.at(-1) as RecordedEvent).position;
  const asked = { organizationId, records: 'profiles' } as const;
  const range = { until, ...(!moment.position && { time: moment.time }), signal };
  const found = organizationAccess(memoryIndexes(events, lag), asked, range);
  return asOf({ events: found, decode: decodeStored, now: () => now }, organizationId, moment);
};

const plain = ({
  organization,
  activations,
  grants,
}: Pick<AsOf, 'organization' | 'activations' | 'grants'>) => ({
  administrators: organization.status === 'created' ? organization.administrators.toSorted() : [],
  auditors: organization.status === 'created' ? organization.auditors.toSorted() : [],
  activations: activations.map(({ addonId, status, epoch, suspended }) => ({
    addonId,
    active: status === 'active',
    epoch,
    suspended,
  })),
  grants: grants.map(({ grant, openScopes, renewableUntil, suspended }) => ({
    grantId: grant.terms.grantId,
    openScopes,
    renewableUntil,
    suspended,
  })),
});

test('at every position of every history it is what the prefix of the log says', async () => {
  await fc.assert(
    fc.asyncProperty(aHistory, async (steps) => {
      const history = await play(steps);
      for (const [index, event] of history.events.entries()) {
        const found = await ask(history, { position: event.position, time: event.created });
        const { organizationId } = history;
        expect(plain(found)).toEqual(
          thenOf(history.events.slice(0, index + 1), { organizationId, time: event.created }),
        );
        expect(found.time).toBe(event.created);
      }
    }),
    propertyRuns(15),
  );
});

test('HI-01: by the indexes, however far they lag, it is the fold of the whole log', async () => {
  await fc.assert(
    fc.asyncProperty(aHistory, fc.nat(), fc.nat(), fc.nat(), async (steps, moment, seen, named) => {
      const history = await play(steps);
      const { events, organizationId } = history;
      const at = events[moment % events.length] as RecordedEvent;
      const lag = { history: seen % (events.length + 1), streams: named % (events.length + 1) };
      const moments = [{ position: at.position, time: at.created }, { time: at.created }];
      for (const one of moments) {
        const until = one.position ?? (events.at(-1) as RecordedEvent).position;
        const whole = wholeLogAccess(logOf(history), organizationId, { until, time: one.time });
        const needs = { events: whole, decode: decodeStored, now: () => Infinity };
        const prefix = events.filter(
          ({ position, created }) => position.commit <= until.commit && created <= one.time,
        );
        expect(await ask(history, one, Infinity, lag)).toEqual({
          ...(await asOf(needs, organizationId, one)),
          position: lastConcerning(prefix, organizationId),
        });
      }
    }),
    propertyRuns(30),
  );
});

test('what is open is what the bearer check accepted at that moment', async () => {
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(aHistory, async (steps) => {
      const history = await play(steps);
      for (const { events, now, tokens } of history.accepted) {
        const fold = makeAsOfFold(history.organizationId);
        for await (const stored of logOf({ events: history.events.slice(0, events) }).readLog({
          after: null,
          signal,
        })) {
          const change = recordChangeIn(stored);
          if (change) fold.applyRecord(change);
          else fold.apply(await decodeStored(stored));
        }
        const found = fold.at(now).grants.filter(({ openScopes }) => openScopes.length > 0);
        // Of users' own grants the organization's part is another question: `thenOf` answers it.
        const ours = tokens.filter(({ subject }) => subject.kind === 'organization');
        opened += ours.length;
        const accepted = new Map<string, Set<string>>();
        for (const { grantId, scopes } of ours)
          accepted.set(grantId, new Set([...(accepted.get(grantId) ?? []), ...scopes]));
        const organizations = found.filter(({ grant }) => grant.terms.subject.kind === 'organization');
        expect(
          Object.fromEntries(
            organizations.map(({ grant, openScopes }) => [grant.terms.grantId, [...openScopes].toSorted()]),
          ),
        ).toEqual(
          Object.fromEntries([...accepted].map(([grantId, scopes]) => [grantId, [...scopes].toSorted()])),
        );
      }
    }),
    { ...propertyRuns(15), examples: [[opensAndCloses], [opensAndIsClosed]] },
  );
  expect(opened).toBeGreaterThan(0);
});

test('a time stands for the last event that the log stored up to then', async () => {
  const history = await play([
    { do: 'grant', own: false, scopes: ['profiles:read'], elsewhere: false },
    { do: 'pass', seconds: 60 },
    { do: 'deactivate' },
  ]);
  const [end, before] = [history.events.at(-1), history.events.at(-2)];
  const at = async (time: number) => {
    const { position, grants, activations } = await ask(history, { time });
    return { position, live: grants.length, status: activations[0]?.status };
  };
  const [active, over] = ['active', 'deactivated'];
  expect(await at((end?.created ?? 0) - 1)).toEqual({ position: before?.position, live: 1, status: active });
  expect(await at(end?.created ?? 0)).toEqual({ position: end?.position, live: 0, status: over });
  expect(await at(Number(history.events[0]?.created) - 1)).toMatchObject({ position: null, live: 0 });
});

test('codes count until they are exchanged, expire or lose their way', async () => {
  const history = await play([
    { do: 'code', which: 1 },
    { do: 'pass', seconds: 3600 },
    { do: 'code', which: 1 },
  ]);
  const codesAt = async ({ position, created: time }: RecordedEvent) =>
    (await ask(history, { position, time })).codes;
  const codes = history.events.filter(({ event }) => event.type === 'AuthorizationCodeIssued');
  expect(codes).toHaveLength(2);
  expect(await Promise.all(codes.map(codesAt))).toEqual([1, 1]);
});

test("a moment that has not come is now, by the later of our clock and the log's", async () => {
  const history = await play(fc.sample(aHistory, { numRuns: 1, seed: 1 })[0] ?? []);
  const last = history.events.at(-1)?.created ?? 0;
  const later = Number(last) + 3_600_000;
  expect((await ask(history, { time: later + 1 }, later)).time).toBe(later);
  expect((await ask(history, { time: later - 1 }, later)).time).toBe(later - 1);
});
