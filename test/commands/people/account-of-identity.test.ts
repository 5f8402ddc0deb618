import { describe, expect, test } from 'vitest';
import { loadAccount } from '../../../src/commands/people/accounts/load-account.ts';
import type { AccountOfIdentity } from '../../../src/commands/people/accounts/account-of-identity.ts';
import { administersBy, organizationDecider } from '../../../src/domain/organizations/organization.ts';
import { identityStream, organizationStream } from '../../../src/domain/streams.ts';
import { load } from '../../../src/commands/kernel/handle.ts';
import { AppendOutcomeUnknown } from '../../../src/eventstore/event-store.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { atAppend, crash } from '../../support/memory/at-append.ts';
import { newUser } from '../../support/registering.ts';

const nothing = { administratorOf: [], roles: [] } as const;
const adaAtProvider: AccountOfIdentity = {
  provider: 'keycloak',
  issuer: 'https://id.example/realms/platform',
  subject: 'f1b9e0a4',
  name: 'Ada Lovelace',
  email: 'Ada@Example.org',
  emailVerified: true,
  mapped: nothing,
};

const groups = (count: number) => Array.from({ length: count }, (_, index) => `group ${index}`);

const platform = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const { organizationId: harbour } = valueOf(await market.createOrganization({ name: 'Harbour House' }));
  const { organizationId: mill } = valueOf(await market.createOrganization({ name: 'Mill' }));
  const signIn = (changes: Partial<AccountOfIdentity> = {}) =>
    market.accountOfIdentity({ ...adaAtProvider, ...changes });
  const mappedTo = (...administratorOf: readonly string[]) =>
    signIn({ mapped: { administratorOf, roles: [] } });
  const accountOf = async (userId: string) => {
    const { account } = await loadAccount(market.store, userId);
    if (account.status === 'absent') throw new Error('there is no account');
    return account;
  };
  const local = async (email: string) => newUser(market, { email, name: 'Local', password: 'correct horse' });
  const issueToken = (userId: string, organizationId: string) =>
    market.issueAdministratorToken({ userId, organizationId, name: organizationId, days: 1, by: userId });
  return { ...market, harbour, mill, signIn, mappedTo, accountOf, local, issueToken };
};

test('FX-61: who came with a provider was never invited, and nobody can mail a link to choose a password there', async () => {
  const { signIn, inviteUser, requestPasswordLink, settle, pass } = await platform();
  await signIn();
  await inviteUser({ email: 'ina@example.org', name: 'Ina' });
  pass(11 * 60_000);
  const mailed: string[] = [];
  const ask = (email: string) =>
    requestPasswordLink({
      email,
      from: { network: '192.0.2.1', device: null },
      deliver: ({ kind }) => {
        mailed.push(`${kind} to ${email}`);
        return Promise.resolve({ mailed: true });
      },
    });
  await ask('ada@example.org');
  await ask('ina@example.org');
  await settle();
  expect(mailed).toEqual(['invitation to ina@example.org']);
});

describe('FE-03: an account of an identity', () => {
  test('is made at the first sign-in, without a password, and found again by issuer and subject', async () => {
    const { signIn, accountOf, types } = await platform();
    const first = valueOf(await signIn());
    expect(types().slice(2)).toEqual([
      'IdentityClaimed',
      'AccountCreated',
      'IdentityLinked',
      'EmailClaimed',
      'AccountEmailChanged',
    ]);
    expect(await accountOf(first.userId)).toMatchObject({
      name: 'Ada Lovelace',
      email: 'ada@example.org',
      roles: [],
      passwordHash: null,
      identities: [{ provider: 'keycloak', subject: 'f1b9e0a4' }],
    });
    expect(valueOf(await signIn()).userId).toBe(first.userId);
    expect(types()).toHaveLength(7);
    const others = [{ subject: 'other' }, { issuer: 'https://other.example' }];
    for (const other of others) expect(valueOf(await signIn(other)).userId).not.toBe(first.userId);
  });

  test('is one account when several browsers sign in for the first time at once', async () => {
    const { signIn } = await platform();
    const users = await Promise.all(Array.from({ length: 8 }, () => signIn()));
    expect(new Set(users.map((outcome) => valueOf(outcome).userId)).size).toBe(1);
  });

  test('keeps its name and address current, and what the provider does not name', async () => {
    const { signIn, accountOf, createUser } = await platform();
    const { userId } = valueOf(await signIn());
    await signIn({ name: 'Ada King', email: 'king@example.org' });
    expect(await accountOf(userId)).toMatchObject({ name: 'Ada King', email: 'king@example.org' });
    await signIn({ name: null, email: null });
    expect(await accountOf(userId)).toMatchObject({ name: 'Ada King', email: 'king@example.org' });
    const person = { name: 'B', password: 'correct horse', administratorOf: [], roles: [] };
    expect(await createUser({ ...person, email: 'ada@example.org' })).toMatchObject({ ok: true });
    expect(await createUser({ ...person, email: 'king@example.org' })).toMatchObject({
      refusal: 'email-taken',
    });
  });

  test('has an address that another account has for display only: nothing is merged', async () => {
    const { signIn, accountOf, local, ...market } = await platform();
    const owner = await local('ada@example.org');
    const { userId } = valueOf(await signIn());
    expect(userId).not.toBe(owner);
    expect(await accountOf(userId)).toMatchObject({ email: 'ada@example.org' });
    await market.disableUser(userId);
    await market.eraseUser(userId);
    expect(await accountOf(owner)).toMatchObject({ email: 'ada@example.org', status: 'enabled' });
    expect(market.types().filter((type) => type === 'EmailReleased')).toEqual([]);
  });

  test.each([
    ['\u202Egnp.exe\u2066 Ada', 'gnp.exe Ada'],
    [`${'x'.repeat(300)}`, 'x'.repeat(100)],
    ['two\nlines', 'two lines'],
    ['\u200B\u200B', 'ada'],
    [null, 'ada'],
  ])('gets the nearest name that people can read: %j', async (name, shown) => {
    const { signIn } = await platform();
    expect(valueOf(await signIn({ name })).name).toBe(shown);
  });

  test.each<[string, Partial<AccountOfIdentity>, string]>([
    [
      'an address that nobody vouches for',
      { name: null, email: 'root@corp.example', emailVerified: false },
      'f1b9e0a4',
    ],
    ['a name that looks like an address', { name: 'root@corp.example' }, 'ada'],
    ['one in wide letters', { name: 'root＠corp.example', email: null }, 'f1b9e0a4'],
    [
      'a subject that looks like an address',
      { name: null, email: null, subject: 'root@corp.example' },
      'keycloak',
    ],
  ])('FX-85: takes no name from %s', async (_case, changes, name) => {
    const { signIn } = await platform();
    expect(valueOf(await signIn(changes)).name).toBe(name);
  });

  test('FX-85: keeps its name when the provider names it like an address', async () => {
    const { signIn } = await platform();
    await signIn();
    expect(valueOf(await signIn({ name: 'root@corp.example' })).name).toBe('Ada Lovelace');
  });

  test('takes no address that is none', async () => {
    const { signIn } = await platform();
    const { email, name } = valueOf(await signIn({ email: 'not an address', name: null }));
    expect([email, name]).toEqual(['', 'f1b9e0a4']);
  });

  test('FE-07: stays disabled or erased whatever the provider says', async () => {
    const { signIn, disableUser, eraseUser, types } = await platform();
    const { userId } = valueOf(await signIn());
    await disableUser(userId);
    const before = types().length;
    expect(await signIn({ name: 'Another' })).toEqual({ ok: false, refusal: 'user-disabled' });
    await eraseUser(userId);
    expect(await signIn()).toEqual({ ok: false, refusal: 'user-erased' });
    expect(types().slice(before)).toEqual(['AccountErased', 'EmailReleased']);
  });

  test.each([
    'IdentityClaimed',
    'EmailClaimed',
    'AccountCreated',
    'OrganizationsMapped',
    'AdministratorAdded',
  ] as const)('continues after a crash at %s', async (type) => {
    const { hooks, arm } = atAppend('beforeAppend', type);
    const { mappedTo, accountOf, isAdministrator, harbour } = await platform(hooks);
    arm(crash);
    await expect(mappedTo(harbour)).rejects.toThrow('crashed');
    const { userId } = valueOf(await mappedTo(harbour));
    expect(await accountOf(userId)).toMatchObject({ email: 'ada@example.org', identities: [{}] });
    expect(await isAdministrator(harbour, userId)).toBe(true);
  });

  test('is not made twice when the outcome of an append is unknown', async () => {
    const seen = new Set<string>();
    const { mappedTo, harbour, types } = await platform({
      afterAppend: (stream) => {
        if (stream.startsWith('organization-') && seen.size < 2) return void seen.add(stream);
        if (seen.has(stream)) return;
        seen.add(stream);
        throw new AppendOutcomeUnknown('the answer was lost');
      },
    });
    valueOf(await mappedTo(harbour));
    for (const type of ['IdentityClaimed', 'EmailClaimed', 'AccountCreated', 'AdministratorAdded'])
      expect(types().filter((other) => other === type)).toHaveLength(1);
  });
});

describe('FE-03: an identity that an operator links', () => {
  test('opens the account, and belongs to one account only', async () => {
    const { signIn, local, linkIdentity, accountOf } = await platform();
    const userId = await local('local@example.org');
    const other = await local('other@example.org');
    const { provider, issuer, subject } = adaAtProvider;
    expect(await linkIdentity({ userId, provider, issuer, subject })).toMatchObject({
      value: { changed: true },
    });
    expect(await linkIdentity({ userId, provider, issuer, subject })).toMatchObject({
      value: { changed: false },
    });
    expect(await linkIdentity({ userId: other, provider, issuer, subject })).toEqual({
      ok: false,
      refusal: 'identity-taken',
    });
    expect(valueOf(await signIn()).userId).toBe(userId);
    expect(await accountOf(userId)).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.org' });
  });

  test('that is unlinked opens it no more: sessions and roles by claim end', async () => {
    const { signIn, unlinkIdentity, accountOf, isAdministrator, harbour, store } = await platform();
    const mapped = { administratorOf: [harbour], roles: ['operator'] as const };
    const { userId, sessionsEnded } = valueOf(await signIn({ mapped }));
    expect(sessionsEnded).toBe(null);
    expect(await unlinkIdentity({ userId, provider: 'keycloak' })).toMatchObject({
      value: { changed: true },
    });
    expect(await accountOf(userId)).toMatchObject({ roles: [], identities: [] });
    expect(await isAdministrator(harbour, userId)).toBe(false);
    expect((await loadAccount(store, userId)).sessionsEnded).not.toBe(null);
    expect(await unlinkIdentity({ userId, provider: 'keycloak' })).toEqual({
      ok: false,
      refusal: 'identity-unknown',
    });
    expect(valueOf(await signIn()).userId).not.toBe(userId);
  });

  test('during a sign-in: the sign-in counts as another user, and grants nothing to the account', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'RoleGranted');
    const market = await platform(hooks);
    const { userId } = valueOf(await market.signIn());
    arm(() => market.unlinkIdentity({ userId, provider: 'keycloak' }));
    const later = valueOf(await market.signIn({ mapped: { administratorOf: [], roles: ['operator'] } }));
    expect(later.userId).not.toBe(userId);
    expect(await market.accountOf(userId)).toMatchObject({ roles: [], identities: [] });
  });

  test.each([
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 's', 'user-unknown'],
    ['no id', 's', 'user-unknown'],
    ['no id', '', 'invalid'],
    ['no id', 's'.repeat(256), 'invalid'],
  ])('is refused: user %j, subject %j', async (userId, subject, refusal) => {
    const { linkIdentity, unlinkIdentity, types } = await platform();
    const { provider, issuer } = adaAtProvider;
    expect(await linkIdentity({ userId, provider, issuer, subject })).toMatchObject({ refusal });
    expect(await unlinkIdentity({ userId, provider })).toMatchObject({ refusal: 'user-unknown' });
    expect(types()).toHaveLength(2);
  });
});

describe('FE-04: roles by mapping', () => {
  test('come and go with the claim', async () => {
    const { signIn, mappedTo, accountOf, isAdministrator, harbour, mill } = await platform();
    const { userId } = valueOf(await mappedTo(harbour, mill, harbour));
    expect(await Promise.all([harbour, mill].map((id) => isAdministrator(id, userId)))).toEqual([true, true]);
    await mappedTo(mill);
    expect(await Promise.all([harbour, mill].map((id) => isAdministrator(id, userId)))).toEqual([
      false,
      true,
    ]);
    expect(
      valueOf(await signIn({ mapped: { administratorOf: [], roles: ['auditor', 'operator'] } })).roles,
    ).toEqual(['auditor', 'operator']);
    expect(await isAdministrator(mill, userId)).toBe(false);
    expect(valueOf(await signIn({ mapped: { administratorOf: [], roles: ['auditor'] } })).roles).toEqual([
      'auditor',
    ]);
    expect((await accountOf(userId)).rolesBySource).toEqual({ manual: [], claim: ['auditor'] });
  });

  test('leave roles alone that were given by hand, and stay when those are taken', async () => {
    const { mappedTo, addAdministrator, removeAdministrator, isAdministrator, harbour, store } =
      await platform();
    const { userId } = valueOf(await mappedTo());
    await addAdministrator({ organizationId: harbour, userId });
    await mappedTo(harbour);
    await mappedTo();
    expect(await isAdministrator(harbour, userId)).toBe(true);
    await mappedTo(harbour);
    await removeAdministrator({ organizationId: harbour, userId });
    expect(await isAdministrator(harbour, userId)).toBe(true);
    const { state } = await load(store, organizationStream(harbour), organizationDecider);
    expect([administersBy(state, 'manual', userId), administersBy(state, 'claim', userId)]).toEqual([
      false,
      true,
    ]);
    await mappedTo();
    expect(await isAdministrator(harbour, userId)).toBe(false);
  });

  test('end the administrator tokens for the organization with them, and no others', async () => {
    const { mappedTo, issueToken, addAdministrator, listAdministratorTokens, harbour, mill } =
      await platform();
    const { userId } = valueOf(await mappedTo(harbour, mill));
    valueOf(await issueToken(userId, harbour));
    valueOf(await issueToken(userId, mill));
    await addAdministrator({ organizationId: mill, userId });
    await mappedTo();
    const left = await listAdministratorTokens(userId);
    expect(left.map(({ organizationId }) => organizationId)).toEqual([mill]);
  });

  test('name an organization by its id or its external id', async () => {
    const { mappedTo, updateOrganization, isAdministrator, harbour, mill } = await platform();
    valueOf(await updateOrganization({ organizationId: mill, externalId: 'crm-77' }));
    const { userId } = valueOf(await mappedTo('crm-77', harbour));
    expect([await isAdministrator(harbour, userId), await isAdministrator(mill, userId)]).toEqual([
      true,
      true,
    ]);
  });

  test('FX-09: 10,000 names cost one query, and as many reads of the log as 10', async () => {
    const costOf = async (names: readonly string[]) => {
      const { mappedTo, isAdministrator, reads, asked, harbour } = await platform();
      const { userId } = valueOf(await mappedTo(...names, harbour));
      expect(await isAdministrator(harbour, userId)).toBe(true);
      const before = reads.length;
      asked.length = 0;
      await mappedTo(...names, harbour);
      return { asked: [...asked], reads: reads.length - before };
    };
    const few = await costOf(groups(10));
    const many = await costOf(groups(10_000));
    expect([few.asked, many.asked]).toEqual([[11], [10_001]]);
    expect(many.reads).toBe(few.reads);
    // As long as any: each still is one name of one query.
    expect(await costOf(groups(10_000).map((name) => name.padEnd(200, 'x')))).toEqual(many);
  });

  test('FX-09: without groups nothing is looked up', async () => {
    const { mappedTo, asked } = await platform();
    await mappedTo();
    expect(asked).toEqual([]);
  });

  test('FX-09: the log decides: a name from before, and a claim that names it, make nobody an administrator', async () => {
    const { mappedTo, updateOrganization, isAdministrator, mill } = await platform();
    valueOf(await updateOrganization({ organizationId: mill, externalId: 'crm-77' }));
    valueOf(await updateOrganization({ organizationId: mill, externalId: 'crm-78' }));
    const { userId } = valueOf(await mappedTo('crm-77'));
    expect(await isAdministrator(mill, userId)).toBe(false);
  });

  test('FX-09: read models that are behind take no role away', async () => {
    const { mappedTo, updateOrganization, isAdministrator, mill, harbour, forgetNames } = await platform();
    valueOf(await updateOrganization({ organizationId: mill, externalId: 'crm-77' }));
    const { userId } = valueOf(await mappedTo('crm-77', harbour));
    forgetNames();
    valueOf(await mappedTo('crm-77'));
    expect([await isAdministrator(mill, userId), await isAdministrator(harbour, userId)]).toEqual([
      true,
      false,
    ]);
  });

  test('of two sign-ins at once are those of the one that the log has last', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { mappedTo, accountOf, isAdministrator, harbour, mill } = await platform({
        beforeAppend: () => new Promise((resolve) => void setImmediate(resolve)),
      });
      const { userId } = valueOf(await mappedTo());
      await Promise.all([mappedTo(harbour), mappedTo(mill), mappedTo()]);
      const { mapped } = await accountOf(userId);
      const administered = [];
      for (const id of [harbour, mill]) if (await isAdministrator(id, userId)) administered.push(id);
      expect(administered).toEqual(mapped);
    }
  });
});

test('no event names the subject of an identity in its stream', async () => {
  const { signIn, store } = await platform();
  await signIn();
  const streams = store.all().map(({ stream }) => stream);
  expect(streams.filter((stream) => stream.startsWith('identity-'))).toHaveLength(1);
  expect(streams).not.toContain(identityStream(adaAtProvider.subject));
});
