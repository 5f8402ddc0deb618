import { describe, expect, test } from 'vitest';
import {
  type Account,
  accountDecider,
  type AccountEvent,
  claimEmail,
  createAccount,
  disableAccount,
  emailDecider,
  enableAccount,
  type EmailClaim,
  type EmailEvent,
} from '../../src/domain/account.ts';
import { scenariosOf } from '../support/given.ts';

const person = { userId: 'ada', email: 'ada@example.com', name: 'Ada', roles: ['auditor'] } as const;
const created: AccountEvent = { type: 'AccountCreated', data: { ...person, at: 1 } };
const passwordSet = (passwordHash: string): AccountEvent => ({
  type: 'PasswordSet',
  data: { passwordHash, at: 1 },
});
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

  test('has the password that was set last', () => {
    expect(given(created).state).toMatchObject({ passwordHash: null });
    expect(given(created, passwordSet('old'), passwordSet('new')).state).toMatchObject({
      passwordHash: 'new',
    });
  });

  test('is disabled until it is enabled again, and keeps what it is', () => {
    const history = [created, passwordSet('hash'), disabled];
    expect(given(...history).state).toMatchObject({
      ...person,
      status: 'disabled',
      blockNotedAt: null,
      passwordHash: 'hash',
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
