import { describe, expect, test } from 'vitest';
import { loadAccount } from '../../../src/commands/people/accounts/load-account.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const password = 'correct horse';

const people = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const { organizationId } = valueOf(await market.createOrganization({ name: 'Harbour House' }));
  const person = (name: string, roles: readonly ('auditor' | 'operator')[] = []) =>
    market
      .createUser({ email: `${name}@example.com`, name, password, administratorOf: [organizationId], roles })
      .then((outcome) => valueOf(outcome).userId);
  return { ...market, organizationId, person };
};

test('AM-11: an account is renamed', async () => {
  const { person, updateUser, store, types } = await people();
  const userId = await person('ada');
  expect(await updateUser({ userId, name: ' Ada  King ' })).toMatchObject({ value: { changed: true } });
  expect(await updateUser({ userId, name: 'Ada  King' })).toMatchObject({ value: { changed: false } });
  expect((await loadAccount(store, userId)).account).toMatchObject({ name: 'Ada  King' });
  expect(await updateUser({ userId, name: 'two\nlines' })).toMatchObject({ problems: [{ field: 'name' }] });
  for (const id of [nobody, 'no id'])
    expect(await updateUser({ userId: id, name: 'A' })).toMatchObject({ refusal: 'user-unknown' });
  expect(types().filter((type) => type === 'AccountRenamed')).toHaveLength(1);
});

describe('AM-11: the address of an account', () => {
  test('is the one that the user signs in with once the call has returned, and the old one is free', async () => {
    const { person, updateUser, signIn, createUser } = await people();
    const userId = await person('ada');
    expect(await updateUser({ userId, email: 'King@Example.com' })).toMatchObject({
      value: { changed: true },
    });
    expect(valueOf(await signIn({ email: 'king@example.com', password })).session.userId).toBe(userId);
    expect(await signIn({ email: 'ada@example.com', password })).toMatchObject({
      refusal: 'wrong-credentials',
    });
    const other = { name: 'B', password, administratorOf: [], roles: [] };
    expect(await createUser({ ...other, email: 'ada@example.com' })).toMatchObject({ ok: true });
    expect(await updateUser({ userId, email: 'ada@example.com' })).toMatchObject({ refusal: 'email-taken' });
  });

  test('is one of those that were set at once, and the others are free', async () => {
    const { person, updateUser, store, createUser } = await people();
    const userId = await person('ada');
    const emails = ['b@example.com', 'c@example.com', 'd@example.com'];
    await Promise.all(emails.map((email) => updateUser({ userId, email })));
    const { account } = await loadAccount(store, userId);
    const kept = account.status === 'absent' ? '' : account.email;
    for (const email of emails) {
      const made = await createUser({ email, name: 'B', password, administratorOf: [], roles: [] });
      expect([email, made.ok]).toEqual([email, email !== kept]);
    }
  });
});

describe('AM-11: a role', () => {
  test('is given and taken, and holds for the session that is open', async () => {
    const { person, grantRole, removeRole, signIn, readSession } = await people();
    const userId = await person('ada');
    const { cookie } = valueOf(await signIn({ email: 'ada@example.com', password }));
    const roles = async () => (await readSession(cookie))?.roles;
    expect(await grantRole({ userId, role: 'auditor' })).toMatchObject({ value: { changed: true } });
    expect(await grantRole({ userId, role: 'auditor' })).toMatchObject({ value: { changed: false } });
    expect(await roles()).toEqual(['auditor']);
    expect(await removeRole({ userId, role: 'auditor' })).toMatchObject({ value: { changed: true } });
    expect(await removeRole({ userId, role: 'auditor' })).toMatchObject({ value: { changed: false } });
    expect(await roles()).toEqual([]);
    expect(await grantRole({ userId: nobody, role: 'auditor' })).toMatchObject({ refusal: 'user-unknown' });
  });

  test('by claim is not removed by hand, and the last administrator only by force', async () => {
    const { person, accountOfIdentity, removeRole, removeAdministrator, organizationId, isAdministrator } =
      await people();
    const ada = await person('ada');
    expect(await removeAdministrator({ organizationId, userId: ada })).toEqual({
      ok: false,
      refusal: 'last-administrator',
    });
    const { userId } = valueOf(
      await accountOfIdentity({
        provider: 'p',
        issuer: 'https://p.example',
        subject: 's',
        name: 'Bo',
        email: null,
        emailVerified: false,
        mapped: { administratorOf: [organizationId], roles: ['auditor'] },
      }),
    );
    expect(await removeRole({ userId, role: 'auditor' })).toEqual({ ok: false, refusal: 'role-by-claim' });
    expect(await removeAdministrator({ organizationId, userId })).toEqual({
      ok: false,
      refusal: 'administrator-by-claim',
    });
    expect(await removeAdministrator({ organizationId, userId: ada })).toMatchObject({ ok: true });
    expect(await isAdministrator(organizationId, ada)).toBe(false);
    expect(await isAdministrator(organizationId, userId)).toBe(true);
  });

  test('of an administrator is not removed if only disabled administrators would remain', async () => {
    const { person, removeAdministrator, disableUser, enableUser, organizationId } = await people();
    const [ada, bo] = [await person('ada'), await person('bo')];
    await disableUser(bo);
    const refused = { ok: false, refusal: 'last-administrator' };
    expect(await removeAdministrator({ organizationId, userId: ada })).toEqual(refused);
    await enableUser(bo);
    expect(await removeAdministrator({ organizationId, userId: ada })).toMatchObject({ ok: true });
  });

  test('of two administrators who are removed at once: one stays', async () => {
    const { person, removeAdministrator, organizationId, isAdministrator } = await people();
    const both = [await person('ada'), await person('bo')];
    const outcomes = await Promise.all(both.map((userId) => removeAdministrator({ organizationId, userId })));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    const left = await Promise.all(both.map((userId) => isAdministrator(organizationId, userId)));
    expect(left.filter(Boolean)).toHaveLength(1);
  });
});
