import { describe, expect, test } from 'vitest';
import {
  makeRevokeOnDeactivation,
  revocationsAfter,
  type GrantsToRevoke,
} from '../../src/commands/revoke-on-deactivation.ts';
import { activationSubject } from '../../src/domain/fence.ts';
import { t0 } from '../support/grants.ts';
import { issuance } from '../support/issuance.ts';
import { valueOf } from '../support/outcomes.ts';

const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('DE-04: a deactivation calls for one revocation a grant and one end, with the same ids each time', () => {
  const grants = [{ grantId: 'a' }, { grantId: 'b' }];
  const calledFor = revocationsAfter({ id: 'd1' }, grants);
  expect(calledFor).toEqual(revocationsAfter({ id: 'd1' }, grants));
  const ids = [...calledFor.revocations.map(({ eventId }) => eventId), calledFor.completionId];
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(isUuid);
  expect(revocationsAfter({ id: 'd2' }, grants).completionId).not.toBe(calledFor.completionId);
});

describe('after a deactivation', () => {
  const deactivated = async (grants: number, onAppend: (type: string | undefined) => void = () => {}) => {
    const over = await issuance({ beforeAppend: (_stream, events) => onAppend(events[0]?.event.type) });
    for (let index = 0; index < grants; index += 1) await over.newPair();
    const grantIds = over.store
      .all()
      .filter(({ event }) => event.type === 'AuthorizationCodeIssued')
      .map(({ stream }) => ({ grantId: stream.slice('grant-'.length) }));
    valueOf(await over.deactivate());
    const event = over.store.all().at(-1);
    if (!event) throw new Error('no event');
    const react = (grantsToRevoke: GrantsToRevoke = () => Promise.resolve(grantIds)) =>
      makeRevokeOnDeactivation({ ...over, now: () => 1_800_000_000_000, grantsToRevoke })(
        event,
        new AbortController().signal,
      );
    return { ...over, event, grantIds, react };
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
    const asked: unknown[] = [];
    const grantsToRevoke: GrantsToRevoke = (of) => {
      asked.push(of, fence.rows().get(activationSubject(organizationId, addonId))?.open);
      return Promise.resolve([{ grantId: slippedIn }]);
    };
    if (!event) throw new Error('no event');
    await makeRevokeOnDeactivation({ ...over, now: () => t0, grantsToRevoke })(
      event,
      new AbortController().signal,
    );
    expect(asked).toEqual([{ organizationId, addonId, epoch: 1 }, false]);
    expect(over.grantEvents()).toEqual(['AuthorizationCodeIssued', 'GrantRevoked']);
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
    const over = await deactivated(2);
    const [first] = over.grantIds;
    const stream = `grant-${first?.grantId ?? ''}` as const;
    const { revision } = await over.store.read(stream);
    await over.store.append(stream, revision, [
      { event: { type: 'GrantRevoked', data: { reason: 'revoked-by-addon', at: 0 } } },
    ]);
    await over.react();
    expect(over.store.all().at(-1)?.event).toMatchObject({ data: { grants: 1 } });
  });
});
