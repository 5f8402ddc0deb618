import { expect, test } from 'vitest';
import { type Account, accountDecider, type AccountEvent } from '../../../src/domain/people/account.ts';
import {
  addPasskey,
  passkeysAllowed,
  removePasskey,
  renamePasskey,
} from '../../../src/domain/people/account-passkeys.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(accountDecider);
const created: AccountEvent = {
  type: 'AccountCreated',
  data: {
    emailVouchedBy: 'operator',
    userId: 'ada',
    email: 'ada@example.com',
    name: 'Ada',
    roles: [],
    at: 1,
  },
};
const passwordSet: AccountEvent = { type: 'PasswordSet', data: { passwordHash: 'hash', at: 1, ended: null } };
const disabled: AccountEvent = { type: 'AccountDisabled', data: { epoch: 1, at: 2 } };
const passkey = (passkeyId: string, credentialId = `of ${passkeyId}`) => ({
  passkeyId,
  name: 'Phone',
  credentialId,
  publicKey: 'key',
  counter: 0,
  synced: true,
});
const added = (passkeyId: string): AccountEvent => ({
  type: 'PasskeyAdded',
  data: { ...passkey(passkeyId), at: 5 },
});
const adding = (passkeyId: string, credentialId?: string) => (account: Account) =>
  addPasskey(account, { ...passkey(passkeyId, credentialId), now: 5 });

test('AM-03: a passkey is added to an enabled account with a password, once', () => {
  const one = given(created, passwordSet);
  one.when(adding('p1')).accepted(added('p1'));
  given(created).when(adding('p1')).refused('no-password');
  given().when(adding('p1')).refused('user-disabled');
  given(created, passwordSet, disabled).when(adding('p1')).refused('user-disabled');
  given(created, passwordSet, added('p1')).when(adding('p2', 'of p1')).refused('passkey-exists');
  given(created, passwordSet, added('p1')).when(adding('p1')).accepted(); // the first answer was lost
  const many = Array.from({ length: passkeysAllowed }, (_, index) => added(`p${index}`));
  given(created, passwordSet, ...many)
    .when(adding('one more'))
    .refused('too-many-passkeys');
});

test('AM-03: it gets another name, is removed, and is gone with the account', () => {
  const renaming = (name: string) => (account: Account) =>
    renamePasskey(account, { passkeyId: 'p1', name, now: 6 });
  const removing = (account: Account) =>
    removePasskey(account, { passkeyId: 'p1', exceptSession: 's1', now: 7 });
  const renamed: AccountEvent = { type: 'PasskeyRenamed', data: { passkeyId: 'p1', name: 'Old', at: 6 } };
  const removed: AccountEvent = {
    type: 'PasskeyRemoved',
    data: { passkeyId: 'p1', exceptSession: 's1', at: 7 },
  };
  const has = [created, passwordSet, added('p1'), added('p2')] as const;
  given(...has)
    .when(renaming('Old'))
    .accepted(renamed);
  given(...has)
    .when(renaming('Phone'))
    .accepted();
  given(...has)
    .when(removing)
    .accepted(removed);
  for (const gone of [given(), given(created), given(...has, removed)]) {
    gone.when(renaming('Old')).refused('passkey-unknown');
    gone.when(removing).refused('passkey-unknown');
  }
  expect(given(...has, renamed, removed).state).toMatchObject({
    passkeys: [{ ...passkey('p2'), addedAt: 5 }],
  });
  const erased: AccountEvent = { type: 'AccountErased', data: { at: 8 } };
  expect(given(...has, disabled, erased).state).toMatchObject({ passkeys: [] });
});
