import { describe, expect, test } from 'vitest';
import {
  accountSubject,
  consentSubject,
  fenceSubjectsOf,
  judgeFence,
} from '../../../src/domain/fence/fence.ts';
import { issuance } from '../../support/memory/issuance.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import { atAppend } from '../../support/memory/at-append.ts';

type Hooks = Parameters<typeof issuance>[0];

/** A user who approves for the own data, and what hangs on it. */
const own = async (hooks: Hooks = {}) => {
  const over = await issuance(hooks);
  const { commands, addonId, userId, store } = over;
  const approve = async () => {
    const { subject } = await commands.ownConsent({ userId, addonId });
    await commands.approveScopes({ userId, addonId, subject, scopes: ['openid', 'access-rights:read'] });
    return subject;
  };
  return {
    ...over,
    approve,
    issueOwn: async () => over.issue({ subject: await approve() }),
    newOwnPair: async () => over.newPair({ subject: await approve() }),
    withdraw: () => commands.withdrawConsent({ userId, addonId }),
    /** What any instance says about an access token, from the fence alone. */
    judge: async (accessToken: string) => {
      const claims = commands.verifyAccessToken(accessToken);
      if (!claims) throw new Error('the token did not open');
      return judgeFence(claims, await over.fence.read(fenceSubjectsOf(claims)));
    },
    typesOf: (type: string) => store.all().filter(({ event }) => event.type === type),
  };
};

describe('withdrawing the consent to the own data', () => {
  test('P1: ends access token, refresh token and code before it answers, on every instance', async () => {
    const { newOwnPair, issueOwn, withdraw, judge, refresh, exchange, instance } = await own();
    const { accessToken, refreshToken } = await newOwnPair();
    const code = await issueOwn();
    const other = instance();
    expect(await judge(accessToken)).toBeNull();
    valueOf(await withdraw());
    expect(await judge(accessToken)).toBe('consent-withdrawn');
    for (const by of [undefined, other]) {
      expect(refusalOf(await refresh(refreshToken, {}, by))).toBe('consent-withdrawn');
      expect(refusalOf(await exchange(code, {}, by))).toBe('consent-withdrawn');
    }
  });

  test('asks again: nothing is remembered, and a new approval revives nothing', async () => {
    const { newOwnPair, issueOwn, withdraw, judge, refresh, exchange, commands, userId, addonId } =
      await own();
    const { accessToken, refreshToken } = await newOwnPair();
    const code = await issueOwn();
    valueOf(await withdraw());
    const asked = { userId, addonId };
    expect(await commands.ownConsent(asked)).toMatchObject({
      subject: { epoch: 1 },
      remembered: { scopes: [] },
    });
    const again = await newOwnPair();
    expect((await commands.ownConsent(asked)).remembered.scopes).toEqual(['openid', 'access-rights:read']);
    expect(await judge(again.accessToken)).toBeNull();
    valueOf(await refresh(again.refreshToken));
    expect(await judge(accessToken)).toBe('consent-withdrawn');
    expect(refusalOf(await refresh(refreshToken))).toBe('consent-withdrawn');
    expect(refusalOf(await exchange(code))).toBe('consent-withdrawn');
  });

  test('is one event, and twice appends nothing more', async () => {
    const { newOwnPair, withdraw, store, typesOf } = await own();
    for (const _ of [1, 2, 3]) await newOwnPair();
    const before = store.all().length;
    const first = valueOf(await withdraw());
    const second = valueOf(await withdraw());
    expect(store.all()).toHaveLength(before + 1);
    expect(second).toEqual(first);
    expect(typesOf('ConsentWithdrawn')[0]?.event.data).toMatchObject({ epoch: 1 });
  });

  test('of what never was approved changes nothing, and says so of an unknown add-on', async () => {
    const { withdraw, store, commands, userId } = await own();
    const before = store.all().length;
    expect(valueOf(await withdraw())).toEqual({ position: null });
    expect(refusalOf(await commands.withdrawConsent({ userId, addonId: userId }))).toBe('addon-unknown');
    expect(refusalOf(await commands.withdrawConsent({ userId, addonId: 'a-b' }))).toBe('addon-unknown');
    expect(store.all()).toHaveLength(before);
  });

  test('AC-03: leaves the organization alone, whoever approved for it', async () => {
    const { newPair, newOwnPair, withdraw, refresh, judge } = await own();
    const organizations = await newPair();
    await newOwnPair();
    valueOf(await withdraw());
    expect(await judge(organizations.accessToken)).toBeNull();
    valueOf(await refresh(organizations.refreshToken));
  });

  test('AC-03: an approval for an organization is forgotten, and its grants live on', async () => {
    const { newPair, newOwnPair, commands, refresh, judge, userId, addonId, organizationId } = await own();
    const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
    await commands.approveScopes({ userId, addonId, subject, scopes: ['openid'] });
    const organizations = await newPair();
    const users = await newOwnPair();
    valueOf(await commands.withdrawConsent({ userId, addonId, organizationId }));
    expect((await commands.rememberedScopes({ userId, addonId, subject })).scopes).toEqual([]);
    expect(await judge(organizations.accessToken)).toBeNull();
    expect(await judge(users.accessToken)).toBeNull();
    valueOf(await refresh(organizations.refreshToken));
  });
});

describe('a withdrawal between the append and the answer (P2)', () => {
  test.each(['AuthorizationCodeRedeemed', 'TokensRefreshed'] as const)(
    'after %s lets no token out and ends the grant',
    async (type) => {
      const { hooks, arm } = atAppend('afterAppend', type);
      const over = await own(hooks);
      const code = await over.issueOwn();
      const first = type === 'TokensRefreshed' ? valueOf(await over.exchange(code)) : null;
      arm(async () => valueOf(await over.withdraw()));
      const refused = first
        ? refusalOf(await over.refresh(first.refreshToken))
        : refusalOf(await over.exchange(code));
      expect(refused).toBe('consent-withdrawn');
      expect(over.store.all().at(-1)?.event).toMatchObject({
        type: 'GrantRevoked',
        data: { reason: 'consent-withdrawn' },
      });
    },
  );

  test('and the new approval at once after it lets no token of before out either', async () => {
    const { hooks, arm } = atAppend('afterAppend', 'AuthorizationCodeRedeemed');
    const over = await own(hooks);
    const code = await over.issueOwn();
    arm(async () => {
      valueOf(await over.withdraw());
      await over.approve();
    });
    expect(refusalOf(await over.exchange(code))).toBe('consent-withdrawn');
  });

  test('between the approval and the code no code is issued', async () => {
    const { approve, withdraw, commands, userId, addonId, issue } = await own();
    const subject = await approve();
    valueOf(await withdraw());
    await expect(issue({ subject })).rejects.toThrow('consent-withdrawn');
    await commands.approveScopes({ userId, addonId, subject, scopes: ['openid'] });
    expect((await commands.ownConsent({ userId, addonId })).remembered.scopes).toEqual([]);
  });
});

describe('disabling a user', () => {
  test("RT-17, TC-15: permanently ends the user's codes and tokens, on every instance", async () => {
    const { newOwnPair, issueOwn, exchange, refresh, judge, commands, userId, instance } = await own();
    const { accessToken, refreshToken } = await newOwnPair();
    const code = await issueOwn();
    const other = instance();
    valueOf(await commands.disableUser(userId));
    expect(await judge(accessToken)).toBe('account-disabled');
    for (const by of [undefined, other]) {
      expect(refusalOf(await refresh(refreshToken, {}, by))).toBe('account-disabled');
      expect(refusalOf(await exchange(code, {}, by))).toBe('account-disabled');
    }
    valueOf(await commands.enableUser(userId));
    expect(await judge(accessToken)).toBe('consent-withdrawn');
    expect(refusalOf(await refresh(refreshToken))).toBe('consent-withdrawn');
    expect(refusalOf(await exchange(code))).toBe('consent-withdrawn');
    const again = await newOwnPair();
    expect(await judge(again.accessToken)).toBeNull();
  });

  test('AC-03, TC-15: an organization keeps its tokens, but a code of that user is not redeemed', async () => {
    const { newPair, issue, exchange, refresh, judge, commands, userId } = await own();
    const organizations = await newPair();
    const code = await issue();
    valueOf(await commands.disableUser(userId));
    expect(await judge(organizations.accessToken)).toBeNull();
    valueOf(await refresh(organizations.refreshToken));
    expect(refusalOf(await exchange(code))).toBe('account-disabled');
  });

  test("TC-15: an organization's code of before the disabling stays dead once the user is enabled", async () => {
    const { issue, exchange, instance, commands, userId, pass } = await own();
    const code = await issue();
    pass(1);
    valueOf(await commands.disableUser(userId));
    valueOf(await commands.enableUser(userId));
    for (const by of [undefined, instance()])
      expect(refusalOf(await exchange(code, {}, by))).toBe('account-disabled');
    pass(1);
    valueOf(await exchange(await issue()));
  });

  test('twice appends nothing more, but completes what a crash left undone', async () => {
    const { commands, userId, store, fence } = await own();
    const before = store.all().length;
    valueOf(await commands.disableUser(userId));
    valueOf(await commands.disableUser(userId));
    expect(store.all()).toHaveLength(before + 1);
    expect(fence.rows().get(accountSubject(userId))).toMatchObject({ open: false, epoch: 1 });
    valueOf(await commands.enableUser(userId));
    valueOf(await commands.enableUser(userId));
    expect(store.all()).toHaveLength(before + 2);
    expect(fence.rows().get(accountSubject(userId))).toMatchObject({ open: true, epoch: 1 });
  });

  test('says so of an unknown user, and appends nothing', async () => {
    const { commands, addonId, store } = await own();
    const before = store.all().length;
    for (const id of [addonId, 'a-b', '']) {
      expect(refusalOf(await commands.disableUser(id))).toBe('user-unknown');
      expect(refusalOf(await commands.enableUser(id))).toBe('user-unknown');
    }
    expect(store.all()).toHaveLength(before);
  });

  test('a withdrawal and a disabling never cancel each other out', async () => {
    const { newOwnPair, withdraw, judge, commands, userId, addonId, fence } = await own();
    const tokens = [(await newOwnPair()).accessToken];
    for (const act of ['withdraw', 'switch', 'withdraw', 'switch'] as const) {
      if (act === 'withdraw') valueOf(await withdraw());
      else {
        valueOf(await commands.disableUser(userId));
        valueOf(await commands.enableUser(userId));
      }
      tokens.push((await newOwnPair()).accessToken);
      const judged = await Promise.all(tokens.map(judge));
      expect(judged).toEqual([...tokens.slice(1).map(() => 'consent-withdrawn'), null]);
    }
    expect(fence.rows().get(consentSubject(userId, addonId))?.epoch).toBe(2);
  });
});
