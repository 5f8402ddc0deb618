import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Interrupted } from '../../src/audit/interrupted.ts';
import { organizationEvents } from '../../src/audit/event-lookup/organization-events.ts';
import { replaceFile } from '../../src/cli/base/whole-file.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import type { Position } from '../../src/eventstore/event-store.ts';
import { fixtures } from '../eventstore/codec/fixtures.ts';
import { memoryIndexes } from '../support/memory/memory-indexes.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { wholeLogEvents } from '../support/log/whole-log-events.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const [ours, theirs] = ['01JD0000000000000000000001', '01JD0000000000000000000002'];

const sample = (type: DomainEvent['type'], changes: object = {}): DomainEvent => {
  const newest = fixtures
    .filter((fixture) => fixture.type === type)
    .toSorted((a, b) => a.version - b.version);
  return { type, data: { ...newest.at(-1)?.data, ...changes } } as DomainEvent;
};
const subject = (organizationId: string) => ({
  subject: { kind: 'organization', organizationId, epoch: 1 },
  authentication: null,
});
const own = {
  subject: { kind: 'user', userId: '01JD0000000000000000000009', epoch: 0 },
  authentication: null,
};

/** What belongs to us stands with an asterisk. */
const story: readonly [StreamName, DomainEvent, '*'?][] = [
  ['addon-A1', sample('AddonRegistered'), '*'],
  ['addon-A2', sample('AddonRegistered')],
  ['account-U1', sample('AccountCreated')],
  [`organization-${ours}`, sample('OrganizationCreated'), '*'],
  [`organization-${theirs}`, sample('OrganizationCreated')],
  [`activation-${ours}.A1`, sample('AddonActivated'), '*'],
  [`activation-${theirs}.A2`, sample('AddonActivated')],
  [`consent-${ours}.A1`, sample('ScopesApproved', { choice: null }), '*'],
  ['consent-U1.A1', sample('ScopesApproved', { choice: null })],
  ['grant-G1', sample('AuthorizationCodeIssued', subject(ours)), '*'],
  ['grant-G2', sample('AuthorizationCodeIssued', subject(theirs))],
  ['grant-G3', sample('AuthorizationCodeIssued', own)],
  ['grant-G1', sample('AuthorizationCodeRedeemed'), '*'],
  ['grant-G2', sample('AuthorizationCodeRedeemed')],
  ['grant-G3', sample('GrantRevoked')],
  [`profile-${ours}.p1`, sample('ProfileRecorded'), '*'],
  [`profile-${theirs}.p1`, sample('ProfileRecorded')],
  [`reservation-${ours}.r1`, sample('ReservationRecorded'), '*'],
  [`accessRight-${ours}.a1`, sample('AccessRightRecorded'), '*'],
  ['audit-break_glass', sample('AuditQueried', { organizationId: ours }), '*'],
  ['audit-break_glass', sample('AuditQueried', { organizationId: theirs })],
  ['audit-break_glass', sample('AuditQueried', { organizationId: null })],
  ['grant-G1', sample('GrantRevoked'), '*'],
  ['addon-A1', sample('AddonSuspended'), '*'],
];

const toldStore = async () => {
  const store = memoryStore();
  for (const [stream, event] of story)
    await store.append(stream, (await store.read(stream)).revision, [{ event }]);
  return store;
};
const at = (place: number): Position => ({ commit: BigInt(place), prepare: BigInt(place) });
const { signal } = new AbortController();
type Store = Awaited<ReturnType<typeof toldStore>>;
const read = async (
  store: Store,
  until: Position,
  lag: Parameters<typeof memoryIndexes>[1],
  aborted = signal,
  sparse?: number,
) => {
  const found: number[] = [];
  const range = { until, signal: aborted };
  for await (const event of organizationEvents(memoryIndexes(store.all(), lag), ours, range, sparse))
    found.push(Number(event.position.commit));
  return found;
};
const readWhole = async (store: Store, from: Position | null, until: Position, aborted = signal) => {
  const found: number[] = [];
  const options = { organizationId: ours, from, until, signal: aborted } as const;
  for await (const event of wholeLogEvents(store, options)) found.push(Number(event.position.commit));
  return found;
};
const expected = story.flatMap(([, , mark], index) => (mark ? [index + 1] : []));

describe('the events of an organization', () => {
  test('are its own, those of its grants, of its add-ons, and the questions about it', async () => {
    expect(await readWhole(await toldStore(), null, at(story.length))).toEqual(expected);
  });

  test('HI-01: are the same by the indexes, however far those lag, up to any position', async () => {
    const store = await toldStore();
    for (let end = 1; end <= story.length; end += 1) {
      const whole = await readWhole(store, null, at(end));
      for (let seen = 0; seen <= story.length; seen += 6)
        for (const lag of [
          { history: seen, streams: story.length - seen },
          { history: seen, streams: seen },
        ])
          for (const sparse of [0, 16_384])
            expect(await read(store, at(end), lag, signal, sparse)).toEqual(whole);
    }
  });

  test('FX-34: of many records close together no stream is read by itself', async () => {
    const store = memoryStore();
    const first = await toldStore();
    for (const { stream, event } of first.all())
      await store.append(stream, (await store.read(stream)).revision, [{ event }]);
    for (let n = 0; n < 50; n += 1)
      await store.append(`reservation-${ours}.n${n}`, 'no-stream', [
        { event: sample('ReservationRecorded') },
      ]);
    const indexes = memoryIndexes(store.all(), { history: 74, streams: 74 });
    const readStored = vi.fn<typeof store.readStored>((...asked) => store.readStored(...asked));
    const range = { until: at(74), signal };
    const found: string[] = [];
    for await (const { stream } of organizationEvents(
      { ...indexes, log: { ...store, readStored } },
      ours,
      range,
    ))
      found.push(stream);
    expect(found.filter((stream) => stream.startsWith('reservation-'))).toHaveLength(51);
    const read = new Set(readStored.mock.calls.map(([stream]) => stream));
    expect([...read].filter((stream) => /^(reservation|profile|accessRight)-/.test(stream))).toEqual([
      `profile-${ours}.p1`,
    ]);
  });

  test('lie in the range, whose ends belong to it; a grant from before is known', async () => {
    const store = await toldStore();
    const inRange = expected.filter((place) => place >= 13 && place <= 23);
    expect(await readWhole(store, at(13), at(23))).toEqual(inRange);
    expect(await readWhole(store, at(24), at(24))).toEqual([24]);
  });

  test('do not end as if they were whole when reading was interrupted', async () => {
    const [store, aborted] = [await toldStore(), AbortSignal.abort()];
    await expect(readWhole(store, null, at(24), aborted)).rejects.toThrow(Interrupted);
    await expect(read(store, at(24), { history: 24, streams: 24 }, aborted)).rejects.toThrow(Interrupted);
  });
});

describe('a file that is written whole', () => {
  const folder = temporaryFolder();

  test('is there at the end, and not before', async () => {
    const file = join(folder, 'one');
    const seen: boolean[] = [];
    const texts = async function* () {
      yield 'a'.repeat(300_000);
      seen.push(existsSync(file));
      yield await Promise.resolve('b');
      return 7;
    };
    expect(await replaceFile(file, texts())).toBe(7);
    expect(seen).toEqual([false]);
    expect(readFileSync(file, 'utf8')).toBe(`${'a'.repeat(300_000)}b`);
  });

  test('is not there, nor a part of it, when it did not come to its end', async () => {
    const texts = async function* () {
      yield await Promise.resolve('a'.repeat(300_000));
      throw new Interrupted('enough');
    };
    await expect(replaceFile(join(folder, 'two'), texts())).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual(['one']);
  });
});
