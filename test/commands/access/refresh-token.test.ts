import { describe, expect, test } from 'vitest';
import { mintCredential } from '../../../src/commands/credentials/credentials.ts';
import { grantSubject } from '../../../src/domain/fence/fence.ts';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { lifetimes, t0 } from '../../support/scenes/grants.ts';
import { grantIdIn, issuance, keys } from '../../support/memory/issuance.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';

const twenty = Array.from({ length: 20 });

describe('a refresh', () => {
  test('RT-01: of a forged token is refused before any I/O', async () => {
    const { newPair, refresh, reads, fence } = await issuance();
    const { refreshToken, accessToken } = await newPair();
    const before = [reads.length, fence.reads()];
    for (const forged of ['', 'mkt_rt_', `${refreshToken.slice(0, -8)}AAAAAAAA`, accessToken])
      expect(refusalOf(await refresh(forged))).toBe('token-unknown');
    expect([reads.length, fence.reads()]).toEqual(before);
  });

  test('of a token whose secret is not from the salt in the log is unknown, though its tag is right', async () => {
    const { newPair, refresh, store, grantEvents } = await issuance();
    await newPair();
    const address = { grantId: grantIdIn(store), rotation: 0, expiresAt: t0 + lifetimes.refreshIdle };
    const another = mintCredential(keys, 'refresh', { keyId: 'k1', salt: 'another' }, address);
    expect(refusalOf(await refresh(another))).toBe('token-unknown');
    expect(grantEvents()).toEqual(['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed']);
  });

  test("RT-17: of an organization goes on without the disabled user's identity, until the user is enabled", async () => {
    const { newPair, refresh, commands, userId } = await issuance();
    const first = await newPair();
    valueOf(await commands.disableUser(userId));
    const second = valueOf(await refresh(first.refreshToken));
    expect([second.identity, second.scopes.includes('openid')]).toEqual([null, true]);
    valueOf(await commands.enableUser(userId));
    expect(valueOf(await refresh(second.refreshToken)).identity).toMatchObject({ userId });
  });
});

describe('a superseded token', () => {
  test('RT-04, RT-09: asked for less inside the grace, gives less, with the same refresh token and no event', async () => {
    const { newPair, refresh, commands, grantEvents } = await issuance();
    const { refreshToken } = await newPair();
    const successor = valueOf(await refresh(refreshToken));
    const narrow = valueOf(await refresh(refreshToken, { scopes: ['openid'] }));
    expect(narrow.scopes).toEqual(['openid']);
    expect(commands.verifyAccessToken(narrow.accessToken)).toEqual({
      ...commands.verifyAccessToken(successor.accessToken),
      scopes: ['openid'],
    });
    expect(narrow.refreshToken).toBe(successor.refreshToken);
    expect(valueOf(await refresh(refreshToken)).accessToken).toBe(successor.accessToken);
    expect(grantEvents().filter((type) => type === 'TokensRefreshed')).toHaveLength(1);
  });

  test('RT-04: opens no more than its successor was recorded with; the successor may ask for all again', async () => {
    const { newPair, refresh } = await issuance();
    const { refreshToken } = await newPair();
    const successor = valueOf(await refresh(refreshToken, { scopes: ['openid'] }));
    const both = { scopes: ['openid', 'access-rights:read'] } as const;
    for (const asked of [both, {}])
      expect(valueOf(await refresh(refreshToken, asked)).accessToken).toBe(successor.accessToken);
    const other = await refresh(refreshToken, { scopes: ['access-rights:read'] });
    expect(refusalOf(other)).toBe('scope-too-wide');
    expect(valueOf(await refresh(successor.refreshToken, both)).scopes).toEqual(both.scopes);
  });

  test.each(['one instance', 'as many'])(
    'RT-04: twenty at once to %s get one successor by one event',
    async (at) => {
      const { newPair, refresh, instance, commands, grantEvents } = await issuance();
      const { refreshToken } = await newPair();
      const by = () => (at === 'one instance' ? commands : instance());
      const pairs = (await Promise.all(twenty.map(() => refresh(refreshToken, {}, by())))).map(valueOf);
      expect(new Set(pairs.map((pair) => pair.refreshToken)).size).toBe(1);
      expect(new Set(pairs.map((pair) => pair.accessToken)).size).toBe(1);
      expect(grantEvents().filter((type) => type === 'TokensRefreshed')).toHaveLength(1);
    },
  );

  test('RT-03: after the grace ends the whole family, the newest pair included', async () => {
    const { newPair, refresh, pass, grantEvents, fence, store } = await issuance();
    const { refreshToken } = await newPair();
    const successor = valueOf(await refresh(refreshToken));
    pass(lifetimes.refreshGrace);
    expect(refusalOf(await refresh(refreshToken))).toBe('token-reused');
    expect(grantEvents().slice(-2)).toEqual(['RefreshTokenReused', 'GrantRevoked']);
    expect(fence.rows().get(grantSubject(grantIdIn(store)))).toMatchObject({ open: false });
    expect(refusalOf(await refresh(successor.refreshToken))).toBe('grant-revoked');
  });

  test('RT-05: is a reuse once its successor was used, also where an instance remembers otherwise', async () => {
    const { newPair, refresh, instance } = await issuance();
    const lagging = instance();
    const { refreshToken } = await newPair();
    const successor = valueOf(await refresh(refreshToken, {}, lagging));
    valueOf(await refresh(successor.refreshToken, {}, instance()));
    expect(refusalOf(await refresh(refreshToken, {}, lagging))).toBe('token-reused');
  });
});

describe('an append whose outcome is unknown', () => {
  const failing = (after: boolean, grace: number) => {
    let left = 1;
    const fail = (_stream: string, events: readonly { event: { type: string } }[]) => {
      if (events[0]?.event.type === 'TokensRefreshed' && left-- > 0)
        throw new AppendOutcomeUnknown('no word');
    };
    return issuance(after ? { afterAppend: fail } : { beforeAppend: fail }, { refreshGrace: grace });
  };

  test.each([
    [true, 30_000],
    [true, 0],
    [false, 0],
  ])('is answered with one pair (arrived: %s, grace: %d)', async (arrived, grace) => {
    const { newPair, refresh, grantEvents } = await failing(arrived, grace);
    const next = valueOf(await refresh((await newPair()).refreshToken));
    expect(grantEvents().filter((type) => type === 'TokensRefreshed')).toHaveLength(1);
    valueOf(await refresh(next.refreshToken));
  });

  test('RT-04: and stays unknown although it arrived, is answered when the add-on asks again: the one pair', async () => {
    const log = { isDark: false };
    const { newPair, refresh, grantEvents } = await issuance({
      afterAppend: (_stream, events) => {
        if (events[0]?.event.type !== 'TokensRefreshed') return;
        log.isDark = true;
        throw new AppendOutcomeUnknown('no word');
      },
      beforeRead: () => {
        if (log.isDark) throw new EventStoreUnavailable('no word either');
      },
    });
    const { refreshToken } = await newPair();
    await expect(refresh(refreshToken)).rejects.toThrow(AppendOutcomeUnknown);
    log.isDark = false;
    const again = [valueOf(await refresh(refreshToken)), valueOf(await refresh(refreshToken))];
    expect(new Set(again.map((pair) => pair.refreshToken + pair.accessToken)).size).toBe(1);
    expect(grantEvents().filter((type) => type === 'TokensRefreshed')).toHaveLength(1);
  });
});
