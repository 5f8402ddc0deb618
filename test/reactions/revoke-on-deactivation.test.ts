import { describe, expect, test } from 'vitest';
import { makeRevokeOnDeactivation } from '../../src/reactions/revoke-on-deactivation.ts';
import { activationSubject } from '../../src/domain/fence/fence.ts';
import { lifetimes, t0 } from '../support/scenes/grants.ts';
import type { EventStore } from '../../src/eventstore/event-store.ts';
import { grantIdIn, issuance } from '../support/memory/issuance.ts';
import { memoryEpochGrants, type MemoryGrantsOptions } from '../support/memory/memory-grants.ts';
import { valueOf } from '../support/outcomes.ts';

describe('after a deactivation', () => {
  const deactivated = async (grants: number, onAppend: (type: string | undefined) => void = () => {}) => {
    const over = await issuance({ beforeAppend: (_stream, events) => onAppend(events[0]?.event.type) });
    for (let index = 0; index < grants; index += 1) await over.newPair();
    valueOf(await over.deactivate());
    const event = over.store.all().at(-1);
    if (!event) throw new Error('no event');
    const react = (options: MemoryGrantsOptions = {}, signal = new AbortController().signal) => {
      const epochGrants = memoryEpochGrants(over.store, options);
      return makeRevokeOnDeactivation({ ...over, now: () => t0, epochGrants })(event, signal);
    };
    return { ...over, event, react };
  };

  test('DE-04, DA-01: each grant gets its GrantRevoked and the activation its RevocationCompleted', async () => {
    const { react, grantEvents, store } = await deactivated(20);
    await react();
    expect(grantEvents().filter((type) => type === 'GrantRevoked')).toHaveLength(20);
    expect(store.all().at(-1)?.event).toMatchObject({
      type: 'RevocationCompleted',
      data: { epoch: 1, grants: 20 },
    });
  });

  test('FX-95: what had expired when it was deactivated gets its GrantRevoked, too, and is not counted', async () => {
    const over = await issuance();
    await over.newPair();
    await over.issue();
    over.pass(lifetimes.refreshIdle);
    await over.newPair();
    await over.issue();
    valueOf(await over.deactivate());
    over.pass(lifetimes.refreshIdle); // before the reaction
    const event = over.store.all().at(-1);
    if (!event) throw new Error('no event');
    const epochGrants = memoryEpochGrants(over.store);
    const react = makeRevokeOnDeactivation({ ...over, now: () => t0, epochGrants });
    await react(event, new AbortController().signal);
    expect(over.grantEvents().filter((type) => type === 'GrantRevoked')).toHaveLength(4);
    expect(over.store.all().at(-1)?.event).toMatchObject({ data: { epoch: 1, grants: 2 } });
  });

  test('P2: the grants are asked for once the fence is closed, also when the command died before it was', async () => {
    const crash = { on: false };
    const over = await issuance({
      fence: {
        beforeWrite: () => {
          if (crash.on) throw new Error('killed');
        },
      },
    });
    crash.on = true;
    await expect(over.deactivate()).rejects.toThrow('killed');
    crash.on = false;
    const event = over.store.all().at(-1);
    const slippedIn = over.grantIdOf(await over.issue());
    const { organizationId, addonId, fence } = over;
    const seen: unknown[] = [];
    const step = () => void seen.push(fence.rows().get(activationSubject(organizationId, addonId))?.open);
    const epochGrants = memoryEpochGrants(over.store, { step });
    if (!event) throw new Error('no event');
    const react = makeRevokeOnDeactivation({ ...over, now: () => t0, epochGrants });
    await react(event, new AbortController().signal);
    expect(seen).toEqual([false, false]);
    expect(await grantTypes(over.store, slippedIn)).toEqual(['AuthorizationCodeIssued', 'GrantRevoked']);
    expect(over.store.all().at(-1)?.event).toMatchObject({ data: { epoch: 1, grants: 1 } });
  });

  test('DE-05: what it does late leaves the fence of the next epoch alone', async () => {
    const { react, activate, fence, organizationId, addonId } = await deactivated(1);
    valueOf(await activate());
    await react();
    const row = fence.rows().get(activationSubject(organizationId, addonId));
    expect(row).toMatchObject({ epoch: 2, open: true });
  });

  test('DE-04: a repeat appends nothing', async () => {
    const { react, store } = await deactivated(3);
    await react();
    const before = store.all().length;
    await react();
    expect(store.all()).toHaveLength(before);
  });

  test('DE-04: a crash half way is completed by a repeat, and the count is of all', async () => {
    const crash = { after: 2 };
    const { react, store, grantEvents } = await deactivated(3, (type) => {
      if (type === 'GrantRevoked' && crash.after-- === 0) throw new Error('crash');
    });
    await expect(react()).rejects.toThrow('crash');
    expect(grantEvents().filter((type) => type === 'GrantRevoked')).toHaveLength(2);
    await react();
    expect(grantEvents().filter((type) => type === 'GrantRevoked')).toHaveLength(3);
    expect(store.all().at(-1)?.event).toMatchObject({ type: 'RevocationCompleted', data: { grants: 3 } });
  });

  test('a grant that had ended otherwise is left as it is and not counted', async () => {
    const { react, store } = await deactivated(2);
    const stream = `grant-${grantIdIn(store)}` as const;
    const { revision } = await store.read(stream);
    await store.append(stream, revision, [
      { event: { type: 'GrantRevoked', data: { reason: 'revoked-by-addon', at: 0 } } },
    ]);
    await react({ knowsEnds: () => false });
    expect(store.all().at(-1)?.event).toMatchObject({ data: { grants: 1 } });
  });

  test('one append a grant and no read, unless refusals lie in its stream', async () => {
    const { react, reads, store, fence, newPair, exchange, issue, activate, deactivate } =
      await deactivated(3);
    reads.length = 0;
    await react();
    expect(reads.filter((stream) => stream.startsWith('grant-'))).toEqual([]);
    valueOf(await activate());
    await newPair();
    const refusedOnce = await issue();
    await exchange(refusedOnce, { redirectUri: 'https://addon.example/other' });
    valueOf(await deactivate());
    const event = store.all().at(-1);
    reads.length = 0;
    const epochGrants = memoryEpochGrants(store);
    if (!event) throw new Error('no event');
    const again = makeRevokeOnDeactivation({ store, fence, now: () => t0, epochGrants });
    await again(event, new AbortController().signal);
    expect(reads.filter((stream) => stream.startsWith('grant-'))).toEqual([`grant-${grantIdIn(store)}`]);
    expect(store.all().at(-1)?.event).toMatchObject({ data: { epoch: 2, grants: 2 } });
  });

  test('asked to stop, it begins nothing more and says so', async () => {
    const stopping = new AbortController();
    let appended = 0;
    const { react, grantEvents, store } = await deactivated(60, (type) => {
      if (type === 'GrantRevoked' && ++appended === 20) stopping.abort(new Error('asked to stop'));
    });
    await expect(react({}, stopping.signal)).rejects.toThrow('asked to stop');
    expect(grantEvents().filter((type) => type === 'GrantRevoked').length).toBeLessThan(60);
    await react();
    expect(store.all().at(-1)?.event).toMatchObject({ data: { grants: 60 } });
  });
});

const grantTypes = async (store: EventStore, grantId: string) =>
  (await store.read(`grant-${grantId}`)).events.map(({ event }) => event.type);
