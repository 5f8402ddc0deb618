import { describe, expect, test } from 'vitest';
import {
  changePassword,
  choosePassword,
  inviteAccount,
  issuePasswordLink,
  setPassword,
  type Account,
  accountDecider,
  type AccountEvent,
  claimEmail,
  addressOf,
  createAccount,
  isLinkValid,
  disableAccount,
  emailDecider,
  enableAccount,
  type EmailClaim,
  type EmailEvent,
} from '../../../src/domain/people/account.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const person = { userId: 'ada', email: 'ada@example.com', name: 'Ada', roles: ['auditor'] } as const;
const created: AccountEvent = {
  type: 'AccountCreated',
  data: { ...person, emailVouchedBy: 'operator', at: 1 },
};
const passwordSet = (
  passwordHash: string,
  ended: { readonly exceptSession: string | null } | null = null,
): AccountEvent => ({ type: 'PasswordSet', data: { passwordHash, at: 1, ended } });
const disabled: AccountEvent = { type: 'AccountDisabled', data: { epoch: 1, at: 2 } };
const enabled: AccountEvent = { type: 'AccountEnabled', data: { epoch: 1, at: 3 } };

describe('an account', () => {
  const given = scenariosOf(accountDecider);
  const creating = (account: Account) => createAccount(account, { ...person, passwordHash: 'hash', now: 1 });

  test('is created together with its password, once', () => {
    given().when(creating).accepted(created, passwordSet('hash'));
    given(created, passwordSet('hash')).when(creating).refused('account-exists');
    given(created, disabled).when(creating).refused('account-exists');
  });

  const link = (digest: string, purpose: 'invitation' | 'reset' = 'reset'): AccountEvent => ({
    type: 'PasswordLinkIssued',
    data: { digest, purpose, expiresAt: 100, at: 1 },
  });
  const emailChanged = (
    email: string,
    emailVouchedBy: 'operator' | 'provider' | 'nobody' = 'operator',
  ): AccountEvent => ({
    type: 'AccountEmailChanged',
    data: { email, at: 2, emailVouchedBy },
  });
  test('FX-01: has the address that an operator or the provider vouches for, and no other', () => {
    const addressAfter = (...events: readonly AccountEvent[]) => addressOf(given(...events).state);
    expect(addressAfter(created)).toBe('ada@example.com');
    for (const vouchedBy of ['operator', 'provider'] as const)
      expect(addressAfter(created, emailChanged('b@example.com', vouchedBy))).toBe('b@example.com');
    expect(addressAfter(created, emailChanged('b@example.com', 'nobody'))).toBeNull();
    expect(addressAfter(created, disabled)).toBe('ada@example.com');
  });

  test('FX-04: another address ends the link that was mailed to the one before', () => {
    const isValidAfter = (...events: readonly AccountEvent[]) =>
      isLinkValid(given(created, link('first'), ...events).state, { digest: 'first', now: 2 });
    expect(isValidAfter()).toBe(true);
    for (const vouchedBy of ['operator', 'provider', 'nobody'] as const)
      expect(isValidAfter(emailChanged('b@example.com', vouchedBy))).toBe(false);
    expect(isValidAfter(emailChanged('ada@example.com', 'nobody'))).toBe(false);
    expect(isValidAfter(emailChanged('ada@example.com', 'provider'))).toBe(true);
    expect(isValidAfter(emailChanged('b@example.com'), emailChanged('ada@example.com'))).toBe(false);
  });

  test('has the password that was set last', () => {
    expect(given(created).state).toMatchObject({ passwordHash: null });
    expect(given(created, passwordSet('old'), passwordSet('new')).state).toMatchObject({
      passwordHash: 'new',
    });
  });

  const issuing = (digest: string) => (account: Account) =>
    issuePasswordLink(account, { digest, expiresAt: 100, now: 1 });
  const choosing =
    (digest: string, now = 1) =>
    (account: Account) =>
      choosePassword(account, { digest, passwordHash: 'new', now });
  const all = { exceptSession: null };

  test('AM-01: another password ends what began with the old one, except the session that changed it', () => {
    const setting = (account: Account) => setPassword(account, { passwordHash: 'new', now: 1 });
    const changing = (presentHash: string) => (account: Account) =>
      changePassword(account, { presentHash, passwordHash: 'new', sessionId: 's', now: 1 });
    given(created, passwordSet('old')).when(setting).accepted(passwordSet('new', all));
    given(created, passwordSet('old'))
      .when(changing('old'))
      .accepted(passwordSet('new', { exceptSession: 's' }));
    given(created, passwordSet('other')).when(changing('old')).refused('password-changed');
    given(created, passwordSet('old'), disabled).when(changing('old')).refused('user-disabled');
    given(created, passwordSet('old'), passwordSet('new')).when(changing('old')).accepted();
  });

  test('AM-01: a link sets one password, in time, as long as it is the newest', () => {
    const history = [created, passwordSet('old'), link('first')];
    given(...history)
      .when(choosing('first'))
      .accepted(passwordSet('new', all));
    given(...history)
      .when(choosing('first', 100))
      .refused('link-unknown');
    given(...history, link('second'))
      .when(choosing('first'))
      .refused('link-unknown');
    given(...history, link('second'))
      .when(choosing('second'))
      .accepted(passwordSet('new', all));
    given(...history, passwordSet('by another way'))
      .when(choosing('first'))
      .refused('link-unknown');
    given(...history, disabled)
      .when(choosing('first'))
      .refused('link-unknown');
    given(...history, disabled, enabled)
      .when(choosing('first'))
      .refused('link-unknown');
    given(...history, passwordSet('new'))
      .when(choosing('first'))
      .accepted(); // its own first attempt
  });

  test('AM-01: a link is an invitation until there is a password, and only an enabled account gets one', () => {
    given(created).when(issuing('d')).accepted(link('d', 'invitation'));
    given(created, passwordSet('old')).when(issuing('d')).accepted(link('d'));
    given(created, passwordSet('old'), link('d')).when(issuing('d')).accepted();
    given(created, disabled).when(issuing('d')).refused('user-disabled');
    given().when(issuing('d')).refused('user-unknown');
  });

  test('AM-01: an invitation makes an account once; repeated before it was used it makes a newer link', () => {
    const invited: AccountEvent = {
      type: 'AccountCreated',
      data: { ...person, emailVouchedBy: 'operator', roles: [], at: 1 },
    };
    const inviting =
      (digest: string, name = 'Ada') =>
      (account: Account) =>
        inviteAccount(account, { ...person, name, digest, expiresAt: 100, now: 1 });
    given().when(inviting('d')).accepted(invited, link('d', 'invitation'));
    given(invited, link('d', 'invitation')).when(inviting('d')).accepted();
    given(invited, link('d', 'invitation')).when(inviting('e')).accepted(link('e', 'invitation'));
    given(invited, link('d', 'invitation')).when(inviting('e', 'Bo')).refused('account-exists');
    given(invited, link('d', 'invitation'), passwordSet('p')).when(inviting('e')).refused('account-exists');
  });

  test('is disabled until it is enabled again, and keeps what it is', () => {
    const history = [created, passwordSet('hash'), disabled];
    expect(given(...history).state).toMatchObject({
      ...person,
      status: 'disabled',
      blockNotedAt: null,
      passwordHash: 'hash',
      passwordSetAt: 1,
      link: null,
      epoch: 1,
    });
    expect(given(...history, enabled).state).toMatchObject({ status: 'enabled' });
  });

  test('RT-17: counts how often it was disabled; disabling or enabling twice changes nothing', () => {
    const disabling = (account: Account) => disableAccount(account, { now: 2 });
    const enabling = (account: Account) => enableAccount(account, { now: 3 });
    given(created).when(disabling).accepted(disabled);
    given(created, disabled).when(disabling).accepted();
    given(created, disabled).when(enabling).accepted(enabled);
    given(created, disabled, enabled).when(enabling).accepted();
    const again: AccountEvent = { type: 'AccountDisabled', data: { epoch: 2, at: 2 } };
    given(created, disabled, enabled).when(disabling).accepted(again);
    given().when(disabling).refused('user-unknown');
    given().when(enabling).refused('user-unknown');
  });

  test('that was never created folds to nothing', () => {
    expect(given(passwordSet('hash'), disabled, enabled).state).toEqual({ status: 'absent' });
  });
});

describe('an e-mail address', () => {
  const given = scenariosOf(emailDecider);
  const claimed = (userId: string): EmailEvent => ({ type: 'EmailClaimed', data: { userId, at: 1 } });
  const claiming = (userId: string) => (claim: EmailClaim) => claimEmail(claim, { userId, now: 1 });

  test('belongs to whoever claims it first', () => {
    given().when(claiming('ada')).accepted(claimed('ada'));
    given(claimed('ada')).when(claiming('bo')).accepted();
    expect(given(claimed('ada')).state).toEqual({ userId: 'ada' });
  });
});
