import { describe, expect, test } from 'vitest';
import { makeRevokeOwnGrants, type OwnGrants } from '../../src/reactions/make-revocations.ts';
import { grantStream } from '../../src/domain/streams.ts';
import { t0 } from '../support/scenes/grants.ts';
import { issuance } from '../support/memory/issuance.ts';
import { valueOf } from '../support/outcomes.ts';

/** Two grants of the user's own data, and what the reaction does to them after something was taken back. */
const granted = async (onAppend: (type: string | undefined) => void = () => {}) => {
  const over = await issuance({ beforeAppend: (_stream, events) => onAppend(events[0]?.event.type) });
  const { commands, userId, addonId, store } = over;
  const { subject } = await commands.ownConsent({ userId, addonId });
  await commands.approveScopes({ userId, addonId, subject, scopes: ['openid'] });
  const codes = [await over.issue({ subject }), await over.issue({ subject })];
  valueOf(await over.exchange(codes[0] ?? ''));
  const grantIds = codes.map((code) => over.grantIdOf(code));
  const asked: unknown[] = [];
  const react = async (grants = grantIds) => {
    const newest = store.all().findLast(({ stream }) => !stream.startsWith('grant-'));
    if (!newest) throw new Error('nothing happened');
    const ownGrants: OwnGrants = async function* (of) {
      asked.push(of);
      await Promise.resolve();
      for (const grantId of grants) yield [{ grantId }];
    };
    await makeRevokeOwnGrants({ ...over, now: () => t0, ownGrants })(newest, new AbortController().signal);
    return newest;
  };
  const lastOf = async (grantId: string) => (await store.read(grantStream(grantId))).events.at(-1);
  return { ...over, grantIds, asked, react, lastOf };
};

describe('after a withdrawal', () => {
  test('every grant of the own data gets its GrantRevoked, with the cause', async () => {
    const { commands, userId, addonId, react, asked, grantIds, lastOf } = await granted();
    valueOf(await commands.withdrawConsent({ userId, addonId }));
    const { id, position } = await react();
    expect(asked).toEqual([{ userId, addonId, upTo: position }]);
    for (const grantId of grantIds)
      expect(await lastOf(grantId)).toMatchObject({
        event: { type: 'GrantRevoked', data: { reason: 'consent-withdrawn' } },
        metadata: { actor: 'revoke-own-grants', causationId: id },
      });
  });

  test('a crash half way is completed by a repeat, and a repeat appends nothing', async () => {
    const crash = { after: 1 };
    const { commands, userId, addonId, react, store, grantEvents } = await granted((type) => {
      if (type === 'GrantRevoked' && crash.after-- === 0) throw new Error('crash');
    });
    valueOf(await commands.withdrawConsent({ userId, addonId }));
    await expect(react()).rejects.toThrow('crash');
    await react();
    expect(grantEvents().filter((type) => type === 'GrantRevoked')).toHaveLength(2);
    const before = store.all().length;
    await react();
    expect(store.all()).toHaveLength(before);
  });

  test('AC-03: of an approval for an organization nothing ends', async () => {
    const { commands, userId, addonId, organizationId, react, asked, grantEvents } = await granted();
    const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
    await commands.approveScopes({ userId, addonId, subject, scopes: ['openid'] });
    valueOf(await commands.withdrawConsent({ userId, addonId, organizationId }));
    expect((await react()).event.type).toBe('ConsentWithdrawn');
    expect(asked).toEqual([]);
    expect(grantEvents()).not.toContain('GrantRevoked');
  });
});

test('RT-17: after a disabling the grants of every add-on get their GrantRevoked', async () => {
  const { commands, userId, react, asked, grantIds, lastOf } = await granted();
  valueOf(await commands.disableUser(userId));
  const { position } = await react();
  expect(asked).toEqual([{ userId, addonId: null, upTo: position }]);
  for (const grantId of grantIds)
    expect((await lastOf(grantId))?.event).toMatchObject({ data: { reason: 'account-disabled' } });
});
