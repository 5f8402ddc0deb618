import { describe, expect, test } from 'vitest';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const ada = {
  email: 'ada@example.com',
  name: 'Ada',
  password: 'correct horse',
  administratorOf: [] as readonly string[],
  roles: [],
};

const withOrganizations = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const { organizationId: harbour } = valueOf(await market.createOrganization({ name: 'Harbour House' }));
  const { organizationId: mill } = valueOf(await market.createOrganization({ name: 'Mill' }));
  return { ...market, harbour, mill, adaOfBoth: { ...ada, administratorOf: [harbour, mill] } };
};

describe('creating an organization', () => {
  test('AC-04: it has no administrator until one is named', async () => {
    const { createUser, isAdministrator, harbour, mill } = await withOrganizations();
    const { userId } = valueOf(await createUser({ ...ada, administratorOf: [harbour] }));
    expect(await isAdministrator(harbour, userId)).toBe(true);
    expect(await isAdministrator(mill, userId)).toBe(false);
    expect(await isAdministrator(harbour, nobody)).toBe(false);
    expect(await isAdministrator(nobody, userId)).toBe(false);
    expect(await isAdministrator('../organization', userId)).toBe(false);
  });
});

describe('creating a user', () => {
  test('makes an account that can sign in, with its roles and organizations', async () => {
    const { createUser, adaOfBoth, types, signIn } = await withOrganizations();
    const { userId } = valueOf(
      await createUser({ ...adaOfBoth, email: ' Ada@Example.COM ', roles: ['auditor'] }),
    );
    expect(types().slice(2)).toEqual([
      'EmailClaimed',
      'AccountCreated',
      'PasswordSet',
      'AdministratorAdded',
      'AdministratorAdded',
    ]);
    const { session } = valueOf(await signIn({ email: 'ADA@example.com', password: ada.password }));
    expect(session).toMatchObject({ userId, name: 'Ada', email: 'ada@example.com' });
  });

  test('keeps no password in the log', async () => {
    const { createUser, store } = marketplace();
    await createUser(ada);
    const log = JSON.stringify(store.all().map(({ event, metadata }) => ({ event, metadata })));
    expect(log).not.toContain(ada.password);
    expect(log).toContain('$argon2id$');
  });

  test.each([
    [{ email: '' }, 'email'],
    [{ name: ' ' }, 'name'],
    [{ password: '1234567' }, 'password'],
  ])('%j is refused and names the field', async (wrong, field) => {
    const { createUser, types } = marketplace();
    expect(await createUser({ ...ada, ...wrong })).toMatchObject({
      refusal: 'invalid',
      problems: [{ field }],
    });
    expect(types()).toEqual([]);
  });

  test.each([nobody, 'not an id'])(
    'an administrator of %j is refused before anything is written',
    async (id) => {
      const { createUser, harbour, types } = await withOrganizations();
      expect(await createUser({ ...ada, administratorOf: [harbour, id] })).toMatchObject({
        refusal: 'organization-unknown',
        problems: [{ field: 'administratorOf[1]' }],
      });
      expect(types()).toEqual(['OrganizationCreated', 'OrganizationCreated']);
    },
  );

  test('an address belongs to one account, however it is spelled', async () => {
    const { createUser, types } = marketplace();
    await createUser(ada);
    const taken = { refusal: 'email-taken', problems: [{ field: 'email' }] };
    expect(await createUser(ada)).toMatchObject(taken);
    expect(await createUser({ ...ada, email: 'ADA@example.com', password: 'another one' })).toMatchObject(
      taken,
    );
    expect(types()).toEqual(['EmailClaimed', 'AccountCreated', 'PasswordSet']);
  });

  test('of many who ask for one address at once, one gets it', async () => {
    const { createUser, types } = marketplace();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => createUser({ ...ada, name: `Ada ${index}` })),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(types()).toEqual(['EmailClaimed', 'AccountCreated', 'PasswordSet']);
  });

  test('an existing account gains no organization by a request with another password', async () => {
    const { createUser, isAdministrator, harbour } = await withOrganizations();
    const { userId } = valueOf(await createUser(ada));
    const other = { ...ada, password: 'another one', administratorOf: [harbour] };
    expect(await createUser(other)).toMatchObject({ refusal: 'email-taken' });
    expect(await isAdministrator(harbour, userId)).toBe(false);
  });

  const steps = ['the claim', 'the account', 'the first organization'];
  test.each(
    steps.flatMap((step, index) => [
      { step, index, lost: 'the write' as const },
      { step, index, lost: 'the answer' as const },
    ]),
  )('a crash that loses $lost of $step is healed by the same request', async ({ index, lost }) => {
    let appends = 0;
    let crashed = false;
    const crash = () => {
      if (crashed || appends++ < 2 + index) return;
      crashed = true;
      throw new Error('crashed');
    };
    const hooks = lost === 'the write' ? { beforeAppend: crash } : { afterAppend: crash };
    const { createUser, adaOfBoth, isAdministrator, harbour, mill, signIn, types } =
      await withOrganizations(hooks);

    await expect(createUser(adaOfBoth)).rejects.toThrow('crashed');
    const { userId } = valueOf(await createUser(adaOfBoth));

    expect(types().slice(2)).toEqual([
      'EmailClaimed',
      'AccountCreated',
      'PasswordSet',
      'AdministratorAdded',
      'AdministratorAdded',
    ]);
    expect(await isAdministrator(harbour, userId)).toBe(true);
    expect(await isAdministrator(mill, userId)).toBe(true);
    expect(valueOf(await signIn(ada)).session.userId).toBe(userId);
    expect(await createUser(adaOfBoth)).toMatchObject({ refusal: 'email-taken' });
  });
});
