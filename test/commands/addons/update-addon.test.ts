import { describe, expect, test } from 'vitest';
import { terms } from '../../support/scenes/grants.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { grantIdIn, issuance, issuanceOver } from '../../support/memory/issuance.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import { atAppend } from '../../support/memory/at-append.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const other = 'https://addon.example/other';
const withoutAddress = { addRedirectUris: [other], removeRedirectUris: [terms.redirectUri] };
const withoutScope = { scopes: ['profiles:read'] } as const;

describe.each([
  ['redirect-uri-removed', withoutAddress],
  ['scope-removed', withoutScope],
] as const)('AM-12: after the removal of what a flow uses (%s)', (refusal, removal) => {
  const scene = async () => {
    const over = await issuance();
    expect(terms.scopes.some((scope) => scope !== 'profiles:read')).toBe(true);
    const { commands, instance, addonId } = over;
    const another = instance();
    await another.findAddon(addonId); // both have it in their caches
    const remove = async (by = commands) => valueOf(await by.updateAddon({ addonId, ...removal }));
    return { ...over, another, remove };
  };

  test('no instance issues a code', async () => {
    const { issueOutcome, another, remove, store } = await scene();
    await remove();
    for (const by of [undefined, another]) expect(refusalOf(await issueOutcome({}, by))).toBe(refusal);
    const stream = await store.read(`grant-${grantIdIn(store)}`);
    expect(stream.events.map(({ event }) => event.type)).toEqual(['AuthorizationCodeIssued', 'GrantRevoked']);
  });

  test('no instance exchanges a code that was issued before', async () => {
    const { issue, exchange, another, remove } = await scene();
    const codes = [await issue(), await issue({}, another)];
    await remove();
    expect(refusalOf(await exchange(codes[0] ?? ''))).toBe(refusal);
    expect(refusalOf(await exchange(codes[1] ?? '', {}, another))).toBe(refusal);
  });

  test('a grant goes on as it is, and its refresh reads no more than before', async () => {
    const { newPair, refresh, remove, reads } = await scene();
    const { refreshToken } = await newPair();
    await remove();
    reads.length = 0;
    const pair = valueOf(await refresh(refreshToken));
    expect(pair.scopes).toEqual(terms.scopes);
    expect(reads).toEqual([]);
  });

  test('a code is not answered when the removal comes between its event and the answer', async () => {
    const { hooks, arm } = atAppend('afterAppend', 'AuthorizationCodeIssued');
    const over = await issuance(hooks);
    const by = over.instance();
    arm(async () => valueOf(await by.updateAddon({ addonId: over.addonId, ...removal })));
    expect(refusalOf(await over.issueOutcome())).toBe(refusal);
    expect(over.grantEvents()).toEqual(['AuthorizationCodeIssued', 'GrantRevoked']);
    expect(over.store.all().at(-1)?.event.data, 'FX-33: the true reason').toMatchObject({ reason: refusal });
  });
});

describe('AM-12: flows at the same time share the reads of their add-on', () => {
  /** Codes to be exchanged. From now on the first read of the add-on keeps its answer, as found, until `release`. */
  const scene = async () => {
    const [log, fence] = [memoryStore(), memoryFence()];
    const ends: string[] = [];
    let isHeld = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const readBack: EventStore['readBack'] = async (stream, from, count) => {
      const found = await log.readBack(stream, from, count);
      if (!isHeld || !stream.startsWith('addon-')) return found;
      if (ends.push(stream) === 1) await released;
      return found;
    };
    const over = issuanceOver({ store: { ...log, readBack }, fence });
    await over.prepare();
    valueOf(await over.activate());
    const codes = await Promise.all(Array.from({ length: 5 }, () => over.issue()));
    isHeld = true;
    return { ...over, fence, codes, ends, release };
  };

  test('two reads answer five exchanges, each between two looks at the fence', async () => {
    const { codes, ends, release, exchange, fence } = await scene();
    const looks = fence.reads();
    const exchanged = codes.map((code) => exchange(code));
    await settled();
    expect(ends).toHaveLength(1);
    release();
    for (const outcome of await Promise.all(exchanged)) expect(outcome).toMatchObject({ ok: true });
    expect(ends).toHaveLength(2);
    expect(fence.reads() - looks).toBe(10);
  });

  test('whoever comes after the answer to a removal is not judged by a read that began before it', async () => {
    const { codes, ends, release, exchange, instance, addonId } = await scene();
    const early = exchange(codes[0] ?? '');
    await settled();
    valueOf(await instance().updateAddon({ addonId, ...withoutScope }));
    const late = exchange(codes[1] ?? '');
    await settled();
    release();
    expect(await early).toMatchObject({ ok: true });
    expect(refusalOf(await late)).toBe('scope-removed');
    expect(ends).toHaveLength(2);
  });
});

test('AM-12: an update answers no position where nothing changed', async () => {
  const { commands, addonId, userId } = await issuance();
  const update = (name: string, of = addonId) => commands.updateAddon({ addonId: of, name });
  expect(valueOf(await update(' Gate ')).position).not.toBeNull();
  expect(await commands.findAddon(addonId)).toMatchObject({ name: 'Gate' });
  expect(valueOf(await update('Gate')).position).toBeNull();
  expect(refusalOf(await update('Gate', userId))).toBe('addon-unknown');
});
