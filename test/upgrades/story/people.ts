import { expect } from 'vitest';
import type { CreateUser } from '../../../src/commands/people/accounts/create-user.ts';
import type { Story } from './story.ts';

const password = 'correct horse battery staple';
export const identity = { provider: 'keycloak', issuer: 'https://id.example/realms/platform', subject: 'bo' };
export const addresses = [
  'bo@example.com',
  'bo@harbour.example',
  'olive@example.com',
  'otto@example.com',
  'oscar@example.com',
] as const;
const [first, second, olive, otto, oscar] = addresses;

const person = (email: string, more: Partial<CreateUser> = {}): CreateUser => ({
  email,
  password,
  name: 'Bo',
  administratorOf: [],
  roles: [],
  ...more,
});

/** account, email, identity, operators, session, administratorTokens */
export const beginPeople = async ({ running, step, done, says }: Story) => {
  const { commands } = running.core;
  const { organizationId } = await done('an organization is created', () =>
    commands.createOrganization({ name: 'Harbour House' }),
  );
  const { userId } = await done('its administrator is created', () =>
    commands.createUser(person(first, { administratorOf: [organizationId] })),
  );
  await done('who chooses preferences', () =>
    commands.choosePreferences({ userId, language: 'de', timeZone: 'Europe/Vienna' }),
  );
  await done('and gets another name and address', () =>
    commands.updateUser({ userId, name: 'Bo Ahoi', email: second }),
  );
  const { userId: auditorId } = await done('another user gets the address that is free', () =>
    commands.createUser(person(first)),
  );
  await done('and a role', () => commands.grantRole({ userId: auditorId, role: 'auditor' }));
  const operators: string[] = [];
  for (const email of [olive, otto, oscar]) {
    const operator = person(email, { roles: ['operator'] });
    operators.push((await done('an operator is created', () => commands.createUser(operator))).userId);
  }
  await running.settled();
  const [oliveId = ''] = operators;
  await done('an operator is disabled', () => commands.disableUser(oliveId));
  await done('and enabled', () => commands.enableUser(oliveId));
  await done('an identity is linked', () => commands.linkIdentity({ userId, ...identity }));
  await done('and unlinked', () => commands.unlinkIdentity({ userId, ...identity }));
  const signIn = { email: second, password, from: null };
  await says('a wrong password', () => commands.signIn({ ...signIn, password: 'wrong' }), {
    ok: false,
    refusal: 'wrong-credentials',
  });
  const { cookie } = await done('the administrator signs in', () => commands.signIn(signIn));
  const session = await step('the session is read', () => commands.readSession(cookie));
  expect(session).toMatchObject({ userId, name: 'Bo Ahoi', language: 'de' });
  const asked = { userId, organizationId, name: 'exports', days: 7, by: userId };
  const token = await done('an administrator token is made', () => commands.issueAdministratorToken(asked));
  await done('and another', () => commands.issueAdministratorToken({ ...asked, name: 'more' }));
  await done('it is read', () => commands.readAdministratorToken(token.token));
  return { organizationId, userId, cookie, sessionId: session?.sessionId ?? '', token, auditorId, operators };
};

export type People = Awaited<ReturnType<typeof beginPeople>>;

export const goOnWithPeople = async (
  { running, step, done, says }: Story,
  { userId, cookie, sessionId, token, operators }: People,
) => {
  const { commands } = running.core;
  const session = await step('the session is read', () => commands.readSession(cookie));
  expect(session).toMatchObject({ userId, sessionId });
  await says('and ended', () => commands.signOut(sessionId), undefined);
  await says('and read', () => commands.readSession(cookie), null);
  const signIn = { email: second, password, from: null };
  await done('the administrator signs in again', () => commands.signIn(signIn));
  await done('an identity is linked again', () => commands.linkIdentity({ userId, ...identity }));
  const person = { ...identity, name: 'Bo Ahoi', email: second, emailVerified: true };
  const mapped = { administratorOf: [], roles: [] };
  const known = await done('and finds the account', () => commands.accountOfIdentity({ ...person, mapped }));
  expect(known.userId).toBe(userId);
  await done('the token is read', () => commands.readAdministratorToken(token.token));
  await done('and revoked', () => commands.revokeAdministratorToken({ ...token, userId, by: userId }));
  const left = await step('one token is left', () => commands.listAdministratorTokens(userId));
  expect(left).toHaveLength(1);
  const [oliveId = '', ottoId = ''] = operators;
  await done('an operator stops being one', () => commands.removeRole({ userId: oliveId, role: 'operator' }));
  await done('another is erased', () => commands.eraseUser(ottoId));
  await done('whose address is free', () => commands.updateUser({ userId: oliveId, email: otto }));
  await done('a password is set', () => commands.setPassword({ userId: oliveId, password }));
};
