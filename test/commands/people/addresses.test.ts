import { describe, expect, test } from 'vitest';
import type { Json, Services } from '../../../src/tasks/task.ts';
import { users } from '../../../src/tasks/users.ts';
import type { AccountOfIdentity } from '../../../src/commands/people/accounts/account-of-identity.ts';
import { findAccount } from '../../../src/commands/people/accounts/find-account.ts';
import { loadAccount } from '../../../src/commands/people/accounts/load-account.ts';
import { type KnownAccount, shownEmail } from '../../../src/domain/people/account.ts';
import { startOwnSession } from '../../../src/commands/sign-in/sign-in.ts';
import { makeCommands } from '../../../src/commands/make-commands.ts';
import { mailReader } from '../../../src/compose/write-side.ts';
import { makeDeliverLink } from '../../../src/mail/deliver-link.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { traceparent } from '../../support/memory/traced-commands.ts';
import { atAppend } from '../../support/memory/at-append.ts';

const victim = 'victim@example.com';
const password = 'correct horse';
const person = { name: 'Victim', password, administratorOf: [], roles: [] };
const mallory: AccountOfIdentity = {
  provider: 'p',
  issuer: 'https://p.example',
  subject: 'mallory',
  name: 'Mallory',
  email: victim,
  emailVerified: false,
  mapped: { administratorOf: [], roles: [] },
};

const traced = { traceparent };

const open = (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const says = async (said: Partial<AccountOfIdentity> = {}) =>
    valueOf(await market.accountOfIdentity({ ...mallory, ...said })).userId;
  const accountOf = async (userId: string) =>
    (await loadAccount(market.store, userId)).account as KnownAccount;
  const ownerOf = async (email: string) => {
    const { account } = await findAccount(market, email);
    return account.status === 'absent' ? null : account.userId;
  };
  return { ...market, says, accountOf, ownerOf };
};

describe('FX-01: an address that the provider does not vouch for', () => {
  test('is displayed, marked, and neither claimed nor found; its owner is invited as ever', async () => {
    const { says, accountOf, ownerOf, inviteUser, types } = open();
    const userId = await says();
    expect(shownEmail(await accountOf(userId))).toBe(`${victim} (not verified)`);
    expect(types()).not.toContain('EmailClaimed');
    expect(await ownerOf(victim)).toBeNull();
    const invited = valueOf(await inviteUser({ email: victim, name: 'Victim' }));
    expect(invited.userId).not.toBe(userId);
    expect(await ownerOf(victim)).toBe(invited.userId);
  });

  test('receives no link, and that of the victim opens the account of the victim', async () => {
    const { says, issuePasswordLink, createUser } = open();
    const userId = await says();
    const owner = valueOf(await createUser({ ...person, email: victim })).userId;
    expect(valueOf(await issuePasswordLink(userId)).email).toBeNull();
    expect(valueOf(await issuePasswordLink(owner))).toMatchObject({ userId: owner, email: victim });
  });

  test('is claimed once the provider vouches for it, and released once it no longer does', async () => {
    const { says, ownerOf, accountOf, types } = open();
    const userId = await says();
    await says({ emailVerified: true });
    expect(await ownerOf(victim)).toBe(userId);
    const before = types().length;
    await says({ emailVerified: true });
    expect(types()).toHaveLength(before);
    await says();
    expect(await ownerOf(victim)).toBeNull();
    expect(types().filter((type) => type.startsWith('Email'))).toEqual(['EmailClaimed', 'EmailReleased']);
    // The provider names another address and vouches for none: the one before does not stay the user's.
    await says({ emailVerified: true });
    await says({ email: 'other@example.com' });
    expect(await ownerOf(victim)).toBeNull();
    expect(shownEmail(await accountOf(userId))).toBe('other@example.com (not verified)');
    // Without an address in the claims, the account keeps what it has.
    await says({ emailVerified: true });
    await says({ email: null });
    expect(await ownerOf(victim)).toBe(userId);
  });

  test('does not replace the one that an operator vouched for, and one that it vouches for does', async () => {
    const { says, ownerOf, createUser, linkIdentity, issuePasswordLink } = open();
    const userId = valueOf(await createUser({ ...person, email: 'own@example.com' })).userId;
    const { provider, issuer, subject } = mallory;
    valueOf(await linkIdentity({ userId, provider, issuer, subject }));
    expect(await says()).toBe(userId);
    expect(await ownerOf('own@example.com')).toBe(userId);
    expect(valueOf(await issuePasswordLink(userId)).email).toBe('own@example.com');
    await says({ emailVerified: true });
    expect(await ownerOf(victim)).toBe(userId);
    expect(await ownerOf('own@example.com')).toBeNull();
  });

  test('is not the user’s either if another account has it, whatever the provider says', async () => {
    const { says, ownerOf, accountOf, createUser, issuePasswordLink } = open();
    const owner = valueOf(await createUser({ ...person, email: victim })).userId;
    const userId = await says({ emailVerified: true });
    expect(await ownerOf(victim)).toBe(owner);
    expect(shownEmail(await accountOf(userId))).toBe(`${victim} (not verified)`);
    expect(valueOf(await issuePasswordLink(userId)).email).toBeNull();
  });

  test('is the user’s once an operator has set it', async () => {
    const { says, ownerOf, updateUser } = open();
    const userId = await says();
    expect(await updateUser({ userId, email: victim })).toMatchObject({ value: { changed: true } });
    expect(await updateUser({ userId, email: victim })).toMatchObject({ value: { changed: false } });
    await says();
    expect(await ownerOf(victim)).toBe(userId);
  });
});

test('FX-02: a sign-in that is refused has moved no claim', async () => {
  const { hooks, arm } = atAppend('beforeAppend', 'AccountEmailChanged');
  const market = open(hooks);
  const userId = await market.says({ email: 'own@example.com', emailVerified: true });
  arm(async () => valueOf(await market.disableUser(userId)));
  expect(await market.accountOfIdentity({ ...mallory, emailVerified: true })).toMatchObject({
    refusal: 'user-disabled',
  });
  valueOf(await market.enableUser(userId));
  expect(await market.ownerOf('own@example.com')).toBe(userId);
  expect(await market.ownerOf(victim)).toBeNull();
  expect(await market.createUser({ ...person, email: victim })).toMatchObject({ ok: true });
});

describe('FX-01: a password that is chosen by a link', () => {
  const scene = async () => {
    const market = open();
    const userId = await market.says({
      emailVerified: true,
      mapped: { administratorOf: [], roles: ['operator'] },
    });
    const { token } = valueOf(await market.issuePasswordLink(userId));
    const choose = (choice: { readonly keepIdentities?: boolean }) =>
      market.choosePassword({ token, password, from: { network: '192.0.2.1', device: null }, ...choice });
    return { ...market, userId, choose };
  };

  test('unlinks the identities, with their roles: whoever linked one opens the account no more', async () => {
    const { choose, accountOf, userId, says } = await scene();
    valueOf(await choose({}));
    expect(await accountOf(userId)).toMatchObject({ identities: [], roles: [], email: victim });
    expect(await says()).not.toBe(userId);
  });

  test('leaves them if the user says so', async () => {
    const { choose, accountOf, userId, says } = await scene();
    valueOf(await choose({ keepIdentities: true }));
    expect(await accountOf(userId)).toMatchObject({
      identities: [{ subject: 'mallory' }],
      roles: ['operator'],
    });
    expect(await says()).toBe(userId);
  });
});

test('FX-01: a reset link and a new role name the linked identities, and a user is shown as not verified', async () => {
  const market = open();
  const userId = await market.says();
  const local = valueOf(await market.createUser({ ...person, email: victim })).userId;
  const services = {
    commands: market,
    store: market.store,
    readModels: { administratorOf: () => Promise.resolve([]), publishersOf: () => Promise.resolve([]) },
    deliverLink: makeDeliverLink(null, 'https://auth.example', mailReader),
  } as unknown as Services;
  const said = async (name: string, id: string, input: object) => {
    const done = await users.tasks
      .find((task) => task.name === name)
      ?.run(services, id, input as Json, traced);
    return done?.ok ? done.text : done?.refusal;
  };
  const warning = 'Whoever has one of these linked identities signs in to the account, too: p "mallory".';
  for (const [name, input] of [
    ['reset-password', {}],
    ['grant-role', { role: 'operator' }],
  ] as const) {
    expect(await said(name, userId, input)).toContain(warning);
    expect(await said(name, local, input)).not.toContain('linked');
  }
  expect(await users.show(services, userId)).toMatchObject({ email: victim, email_verified: false });
  expect(await users.show(services, local)).toMatchObject({ email: victim, email_verified: true });
});

describe('FX-04: a link that was mailed to an address', () => {
  const from = { network: '192.0.2.1', device: null };

  test('ends when an operator changes the address, and the next one goes to the new address', async () => {
    const { createUser, inviteUser, issuePasswordLink, updateUser, readPasswordLink, choosePassword } =
      open();
    const userId = valueOf(await createUser({ ...person, email: 'old@example.com' })).userId;
    const invited = valueOf(await inviteUser({ email: 'guest@example.com', name: 'Guest' }));
    const links = [valueOf(await issuePasswordLink(userId)), invited];
    for (const { token, userId: whose } of links) {
      expect(await readPasswordLink(token)).toMatchObject({ ok: true });
      valueOf(await updateUser({ userId: whose, email: `${whose}@example.com` }));
      expect(await readPasswordLink(token)).toMatchObject({ refusal: 'link-used' });
      expect(await choosePassword({ token, password, from })).toMatchObject({ refusal: 'link-used' });
      const next = valueOf(await issuePasswordLink(whose));
      expect(next.email).toBe(`${whose.toLowerCase()}@example.com`);
      expect(await choosePassword({ token: next.token, password, from })).toMatchObject({ ok: true });
    }
  });

  test('ends when the provider names another address', async () => {
    const { says, issuePasswordLink, readPasswordLink } = open();
    const userId = await says({ emailVerified: true });
    const { token } = valueOf(await issuePasswordLink(userId));
    await says({ emailVerified: true, email: 'new@example.com' });
    expect(await readPasswordLink(token)).toMatchObject({ refusal: 'link-used' });
  });
});

describe('FX-03: guesses of a password', () => {
  /** Whether a browser may still guess after a stranger in the same network has used up the attempts. */
  const mayStillGuess = async (market: ReturnType<typeof open>, device: string | null, network: string) => {
    const guess = (from: { readonly network: string; readonly device: string | null }) =>
      market.signIn({ email: victim, password: 'wrong horse', from });
    for (let count = 0; count < 5; count += 1) await guess({ network, device: null });
    expect(await guess({ network, device: null })).toMatchObject({ refusal: 'too-many-attempts' });
    const { ok, refusal } = (await guess({ network, device })) as { ok: boolean; refusal?: string };
    market.pass(7 * 86_400_000);
    return !ok && refusal === 'wrong-credentials';
  };

  test('from a browser that was known to the account that had the address before are those of a stranger', async () => {
    const market = open();
    const { createUser, updateUser, signIn } = market;
    const former = valueOf(await createUser({ ...person, email: victim })).userId;
    const { device } = valueOf(await signIn({ email: victim, password }));
    expect(await mayStillGuess(market, device.cookie, '192.0.2.7')).toBe(true);
    valueOf(await updateUser({ userId: former, email: 'former@example.com' }));
    const owner = valueOf(await createUser({ ...person, email: victim })).userId;
    expect(await mayStillGuess(market, device.cookie, '192.0.2.8')).toBe(false);
    const own = valueOf(
      await signIn({ email: victim, password, from: { network: '192.0.2.9', device: device.cookie } }),
    );
    expect(own.session.userId).toBe(owner);
    expect(await mayStillGuess(market, own.device.cookie, '192.0.2.10')).toBe(true);
  });

  test('from a browser whose account merely displays the address are those of a stranger', async () => {
    const market = open();
    valueOf(await market.createUser({ ...person, email: victim }));
    const account = await market.accountOf(await market.says());
    // As after a sign-in with a passkey, which needs no address.
    const { device } = await startOwnSession(market, account, { from: null, authTime: market.now() }, traced);
    expect(await mayStillGuess(market, device.cookie, '192.0.2.7')).toBe(false);
  });

  test('by a user whose account only displays an address do not count against its owner', async () => {
    const market = open();
    const owner = valueOf(await market.createUser({ ...person, email: victim })).userId;
    const userId = await market.says();
    valueOf(await market.setPassword({ userId, password }));
    const from = { network: '192.0.2.1', device: null };
    const session = { sessionId: '01K9RZ3Q5V0000000000000001', userId };
    let outcome;
    for (let count = 0; count < 20; count += 1)
      outcome = await market.changePassword({
        session,
        present: 'wrong horse',
        password: 'battery staple',
        from,
      });
    expect(outcome).toMatchObject({ refusal: 'too-many-attempts' });
    expect(valueOf(await market.unblockSignIn(owner)).forgotten).toBe(0);
    expect(valueOf(await market.unblockSignIn(userId)).forgotten).toBeGreaterThan(0);
  });
});

test('FX-10: where passwords are off, no command accepts one, and none makes a link', async () => {
  const market = open();
  const userId = valueOf(await market.createUser({ ...person, email: victim })).userId;
  const { token } = valueOf(await market.issuePasswordLink(userId));
  const { writeSide } = market;
  const off = makeCommands({ ...writeSide, credentials: { ...writeSide.credentials, localSignIn: false } });
  const from = { network: '192.0.2.1', device: null };
  const session = { sessionId: '01K9RZ3Q5V0000000000000001', userId };
  const before = market.types().length;
  for (const outcome of [
    await off.signIn({ email: victim, password, from }),
    await off.signIn({ email: victim, password, from: null }),
    await off.changePassword({ session, present: password, password: 'battery staple', from }),
    await off.readPasswordLink(token),
    await off.choosePassword({ token, password, from }),
    await off.inviteUser({ email: 'guest@example.com', name: 'Guest' }),
    await off.issuePasswordLink(userId),
  ])
    expect(outcome).toEqual({ ok: false, refusal: 'passwords-off' });
  expect(market.types()).toHaveLength(before);
});

test('FX-10: a common password is refused wherever one is set', async () => {
  const { createUser, setPassword, changePassword, issuePasswordLink, choosePassword } = open();
  const userId = valueOf(await createUser({ ...person, email: victim })).userId;
  const { token } = valueOf(await issuePasswordLink(userId));
  const from = { network: '192.0.2.1', device: null };
  const session = { sessionId: '01K9RZ3Q5V0000000000000001', userId };
  const common = 'Password123';
  for (const outcome of [
    await createUser({ ...person, email: 'new@example.com', password: common }),
    await setPassword({ userId, password: common }),
    await changePassword({ session, present: password, password: common, from }),
    await choosePassword({ token, password: common, from }),
  ])
    expect(outcome).toMatchObject({
      refusal: 'invalid',
      problems: [{ field: 'password', message: 'must not be one of the passwords that are used most' }],
    });
});
