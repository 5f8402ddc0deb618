import { describe, expect, test } from 'vitest';
import type { AccountOfIdentity } from '../../../src/commands/people/accounts/account-of-identity.ts';
import { defaultLifetimes } from '../../../src/commands/kernel/dependencies.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { tracedCommands } from '../../support/memory/traced-commands.ts';

const [hour, day] = [3_600_000, 86_400_000];
const maxAge = defaultLifetimes.providerRights;
const provider = { provider: 'keycloak', issuer: 'https://id.example/realms/platform' };
const logoutOf = (subject: string | null, sid: string | null = null) => ({ ...provider, subject, sid });

const platform = async () => {
  const market = marketplace();
  const { organizationId: mill } = valueOf(await market.createOrganization({ name: 'Mill' }));
  const { organizationId: harbour } = valueOf(await market.createOrganization({ name: 'Harbour' }));
  const sessions: { readonly sessionId: string; readonly userId: string | null }[] = [];
  const providerSessions = {
    note: () => Promise.resolve(),
    hasEnded: () => Promise.resolve(false),
    end: () => Promise.resolve(sessions),
  };
  const { writeSide } = market;
  const commands = tracedCommands({ ...writeSide, signIn: { ...writeSide.signIn, providerSessions } });
  const signIn = async (mapped: AccountOfIdentity['mapped'], subject = 'ada') =>
    valueOf(
      await market.accountOfIdentity({
        ...provider,
        subject,
        name: 'Ada',
        email: `${subject}@example.org`,
        emailVerified: true,
        mapped,
      }),
    ).userId;
  const tokenOf = async (userId: string, organizationId: string | null = null, name = 'program') =>
    valueOf(await market.issueAdministratorToken({ userId, organizationId, name, days: 365, by: userId }))
      .token;
  const rolesOf = async (token: string) => valueOf(await market.readOperatorToken(token)).roles;
  const mayAdminister = async (token: string, organizationId: string) => {
    const { userId, byClaim } = valueOf(await market.readAdministratorToken(token));
    return market.isAdministrator(organizationId, userId, byClaim);
  };
  const { endProviderSessions } = commands;
  return { ...market, mill, harbour, sessions, signIn, tokenOf, rolesOf, mayAdminister, endProviderSessions };
};

const everything = (organizationId: string) =>
  ({ administratorOf: [organizationId], roles: ['operator', 'auditor'] }) as const;

describe('FX-05: tokens have the rights of a claim as long as the provider confirms them', () => {
  test('not once the last sign-in is older than PROVIDER_RIGHTS_MAX_AGE, and again after the next', async () => {
    const { signIn, tokenOf, rolesOf, mayAdminister, pass, mill } = await platform();
    const token = await tokenOf(await signIn(everything(mill)));
    pass(maxAge - 1);
    expect([await rolesOf(token), await mayAdminister(token, mill)]).toEqual([['operator', 'auditor'], true]);
    pass(1);
    expect([await rolesOf(token), await mayAdminister(token, mill)]).toEqual([[], false]);
    await signIn(everything(mill));
    expect([await rolesOf(token), await mayAdminister(token, mill)]).toEqual([['operator', 'auditor'], true]);
    // A sign-in that changes nothing counts, too.
    pass(maxAge - day);
    await signIn(everything(mill));
    pass(2 * day);
    expect([await rolesOf(token), await mayAdminister(token, mill)]).toEqual([['operator', 'auditor'], true]);
  });

  test('not after a back-channel logout of the user, with or without a session, and again after a sign-in', async () => {
    const { signIn, tokenOf, rolesOf, mayAdminister, endProviderSessions, sessions, mill } = await platform();
    const userId = await signIn(everything(mill));
    const token = await tokenOf(userId);
    const own = await tokenOf(userId, mill, 'for the mill');
    await endProviderSessions(logoutOf('ada'));
    expect([await rolesOf(token), await mayAdminister(token, mill), await mayAdminister(own, mill)]).toEqual([
      [],
      false,
      false,
    ]);
    await signIn(everything(mill));
    expect([await rolesOf(token), await mayAdminister(own, mill)]).toEqual([['operator', 'auditor'], true]);
    // A provider that names the session alone.
    sessions.push(
      { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', userId },
      { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAW', userId: null },
    );
    await endProviderSessions(logoutOf(null, 's1'));
    expect([await rolesOf(token), await mayAdminister(own, mill)]).toEqual([[], false]);
  });

  test('a token made after the logout has no more than those from before', async () => {
    const { signIn, tokenOf, rolesOf, endProviderSessions, mill } = await platform();
    const userId = await signIn(everything(mill));
    await endProviderSessions(logoutOf('ada'));
    expect(await rolesOf(await tokenOf(userId))).toEqual([]);
  });

  test('a logout of somebody else changes nothing, nor does one said twice, and an unknown user is no error', async () => {
    const { signIn, tokenOf, rolesOf, endProviderSessions, types, mill } = await platform();
    const token = await tokenOf(await signIn(everything(mill)));
    await signIn({ administratorOf: [], roles: [] }, 'eve');
    const before = types().length;
    await endProviderSessions(logoutOf('eve'));
    await endProviderSessions(logoutOf('nobody'));
    expect(types()).toHaveLength(before);
    expect(await rolesOf(token)).toEqual(['operator', 'auditor']);
    await endProviderSessions(logoutOf('ada'));
    await endProviderSessions(logoutOf('ada'));
    expect(types().slice(before)).toEqual(['OrganizationsMapped']);
  });

  test('rights that were given by hand stay', async () => {
    const {
      signIn,
      tokenOf,
      rolesOf,
      mayAdminister,
      endProviderSessions,
      grantRole,
      addAdministrator,
      mill,
      harbour,
    } = await platform();
    const userId = await signIn({ administratorOf: [mill], roles: ['auditor'] });
    const token = await tokenOf(userId);
    await grantRole({ userId, role: 'operator' });
    await addAdministrator({ organizationId: harbour, userId });
    await endProviderSessions(logoutOf('ada'));
    expect([
      await rolesOf(token),
      await mayAdminister(token, harbour),
      await mayAdminister(token, mill),
    ]).toEqual([['operator'], true, false]);
  });

  test('a user without rights by claim has nothing to confirm: tokens last, and sign-ins add no event', async () => {
    const { signIn, tokenOf, rolesOf, grantRole, types, pass } = await platform();
    const userId = await signIn({ administratorOf: [], roles: [] });
    const token = await tokenOf(userId);
    await grantRole({ userId, role: 'operator' });
    const before = types().length;
    pass(2 * maxAge);
    await signIn({ administratorOf: [], roles: [] });
    expect([await rolesOf(token), types().length]).toEqual([['operator'], before]);
  });

  test('sign-ins within an hour are one event', async () => {
    const { signIn, types, pass, mill } = await platform();
    await signIn(everything(mill));
    const before = types().length;
    for (let sign = 0; sign < 10; sign += 1) await signIn(everything(mill));
    expect(types()).toHaveLength(before);
    pass(hour);
    for (let sign = 0; sign < 10; sign += 1) await signIn(everything(mill));
    expect(types().slice(before)).toEqual(['OrganizationsMapped']);
  });

  test('the list of tokens says until when', async () => {
    const { signIn, tokenOf, listAdministratorTokens, endProviderSessions, now, pass, mill } =
      await platform();
    const userId = await signIn(everything(mill));
    await tokenOf(userId);
    const until = async () => (await listAdministratorTokens(userId)).map((token) => token.claimsCountUntil);
    expect(await until()).toEqual([now() + maxAge]);
    pass(1_000);
    await endProviderSessions(logoutOf('ada'));
    expect(await until()).toEqual([now()]);
    const others = await signIn({ administratorOf: [], roles: [] }, 'eve');
    await tokenOf(others);
    expect((await listAdministratorTokens(others)).map((token) => token.claimsCountUntil)).toEqual([null]);
  });

  test('a token costs the reads that it did: of its account and its stream', async () => {
    const { signIn, tokenOf, readAdministratorToken, reads, mill } = await platform();
    const token = await tokenOf(await signIn(everything(mill)));
    reads.length = 0;
    await readAdministratorToken(token);
    expect(reads.map((stream) => stream.replace(/-.*/, '')).toSorted()).toEqual([
      'account',
      'administratorTokens',
    ]);
  });
});
