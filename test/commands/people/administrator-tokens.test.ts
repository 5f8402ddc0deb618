import { describe, expect, test } from 'vitest';
import { mintAdministratorToken } from '../../../src/commands/credentials/administrator-token-text.ts';
import { administratorTokensStream, organizationStream } from '../../../src/domain/streams.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import type { MemoryStoreHooks } from '../../support/memory/memory-store.ts';
import { atAppend } from '../../support/memory/at-append.ts';
import { newUser } from '../../support/registering.ts';

const day = 86_400_000;
const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** An organization and its administrator. */
const setUp = async (hooks: MemoryStoreHooks = {}) => {
  const place = marketplace(hooks);
  const { organizationId } = valueOf(await place.createOrganization({ name: 'Harbour House' }));
  const userId = await newUser(place, {
    email: 'ada@example.com',
    password: 'correct horse',
    administratorOf: [organizationId],
  });
  const request = { userId, organizationId, name: 'Nightly audit', days: 30, by: userId };
  const issue = async (
    change: Partial<Omit<typeof request, 'organizationId'>> & { organizationId?: string | null } = {},
  ) => place.issueAdministratorToken({ ...request, ...change });
  return { ...place, organizationId, userId, request, issue };
};

describe('an administrator token', () => {
  test('AC-04: opens as what it was issued for, until the millisecond before its end', async () => {
    const { issue, readAdministratorToken, listAdministratorTokens, pass, userId, organizationId, now } =
      await setUp();
    const { token, toTell, ...item } = valueOf(await issue({ name: '  Nightly audit ' }));
    expect(toTell).toBeNull();
    expect(token).toMatch(/^mkt_admin_[A-Za-z0-9_-]{120,200}$/);
    expect(item).toEqual({
      tokenId: expect.stringMatching(/^[0-9A-Z]{26}$/),
      organizationId,
      name: 'Nightly audit',
      issuedAt: now(),
      expiresAt: now() + 30 * day,
      madeBy: { actor: userId, tokenId: null },
    });
    const holder = { ok: true, value: { userId, tokenId: item.tokenId, organizationId, byClaim: true } };
    expect(await readAdministratorToken(token)).toEqual(holder);
    expect(await listAdministratorTokens(userId)).toEqual([{ ...item, claimsCountUntil: null }]);
    pass(30 * day - 1);
    expect(await readAdministratorToken(token)).toEqual(holder);
    pass(1);
    expect(await readAdministratorToken(token)).toEqual({ ok: false, refusal: 'token-expired' });
    expect(await listAdministratorTokens(userId)).toEqual([]);
  });

  test('G-08: the log holds what it is derived from, the list not even that, and neither holds the token', async () => {
    const { issue, store, listAdministratorTokens, userId } = await setUp();
    const { token } = valueOf(await issue());
    const kept = JSON.stringify([
      store.all().map(({ event }) => event),
      await listAdministratorTokens(userId),
    ]);
    for (let at = 'mkt_admin_'.length; at + 16 <= token.length; at += 1)
      expect(kept).not.toContain(token.slice(at, at + 16));
    expect(Object.keys((await listAdministratorTokens(userId))[0] ?? {})).not.toContain('salt');
  });

  test('a forged, cut, foreign or expired one is refused before any I/O', async () => {
    const { issue, readAdministratorToken, reads, pass, userId } = await setUp();
    const { token, tokenId, expiresAt } = valueOf(await issue({ days: 1 }));
    const otherKeys = { current: 'k1', keys: new Map([['k1', new Uint8Array(32).fill(8)]]) };
    const origin = { keyId: 'k1', salt: 'c2FsdHNhbHRzYWx0c2FsdA' };
    const foreign = mintAdministratorToken(otherKeys, origin, { userId, tokenId, expiresAt });
    pass(day);
    reads.length = 0;
    const refusalOf = async (text: string) => {
      const outcome = await readAdministratorToken(text);
      return outcome.ok ? 'opened' : outcome.refusal;
    };
    expect(await refusalOf(token)).toBe('token-expired');
    for (const text of [
      '',
      foreign,
      'mkt_admin_',
      `${token}A`,
      token.slice(0, -1),
      token.slice(10),
      `mkt_at_${token.slice(10)}`,
    ])
      expect(await refusalOf(text)).toBe('token-unknown');
    expect(reads).toEqual([]);
  });

  test('one that is made under the key from anything but the salt of its event opens nothing', async () => {
    const { issue, readAdministratorToken, keys, userId, store } = await setUp();
    const { token, ...address } = valueOf(await issue());
    const data = store.all().at(-1)?.event.data as { readonly salt: string };
    const made = (salt: string) =>
      mintAdministratorToken(keys, { keyId: 'k1', salt }, { userId, ...address });
    expect(made(data.salt)).toBe(token);
    expect(await readAdministratorToken(made('c2FsdHNhbHRzYWx0c2FsdA'))).toMatchObject({ ok: false });
  });

  test('revoking ends it for the next request, once, and leaves the others', async () => {
    const {
      issue,
      readAdministratorToken,
      revokeAdministratorToken,
      listAdministratorTokens,
      userId,
      store,
    } = await setUp();
    const first = valueOf(await issue());
    const second = valueOf(await issue({ name: 'Another' }));
    const revoking = { userId, tokenId: first.tokenId, by: 'break-glass' };
    expect(await revokeAdministratorToken(revoking)).toEqual({ ok: true, value: null });
    expect(await readAdministratorToken(first.token)).toEqual({ ok: false, refusal: 'token-revoked' });
    expect(await readAdministratorToken(second.token)).toMatchObject({ ok: true });
    expect((await listAdministratorTokens(userId)).map(({ name }) => name)).toEqual(['Another']);
    expect(await revokeAdministratorToken(revoking)).toEqual({ ok: false, refusal: 'token-unknown' });
    const metadata = store.all().map(({ event, metadata: { actor } }) => [event.type, actor]);
    expect(metadata.slice(-3)).toEqual([
      ['AdministratorTokenIssued', userId],
      ['AdministratorTokenIssued', userId],
      ['AdministratorTokenRevoked', 'break-glass'],
    ]);
  });

  test('nobody revokes the token of somebody else', async () => {
    const { issue, readAdministratorToken, revokeAdministratorToken, createUser } = await setUp();
    const { token, tokenId } = valueOf(await issue());
    const mallory = { email: 'm@example.com', name: 'M', password: 'correct horse', roles: [] };
    const { userId: other } = valueOf(await createUser({ ...mallory, administratorOf: [] }));
    for (const userId of [other, nobody, 'not-an-id'])
      expect(await revokeAdministratorToken({ userId, tokenId, by: userId })).toMatchObject({ ok: false });
    expect(await readAdministratorToken(token)).toMatchObject({ ok: true });
  });

  describe('FX-90: one that was made with another', () => {
    const inTrace = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    /** Ada's token for a day, one for Bob that it made, and one for Ada that this made. */
    const family = async () => {
      const place = await setUp();
      const bob = { email: 'bob@example.com', name: 'Bob', password: 'correct horse', administratorOf: [] };
      const { userId: other } = valueOf(await place.createUser({ ...bob, roles: ['operator'] }));
      const parent = valueOf(await place.issue({ organizationId: null, days: 1 }));
      const makeFor = async (userId: string, actor: string, tokenId: string | null) =>
        valueOf(
          await place.issueAdministratorToken(
            { userId, organizationId: null, name: 'Made', days: 365, by: 'break-glass' },
            { traceparent: inTrace, acting: { actor, tokenId } },
          ),
        );
      const child = await makeFor(other, place.userId, parent.tokenId);
      const grandchild = await makeFor(place.userId, other, child.tokenId);
      const states = async () => {
        const read = [parent, child, grandchild].map(({ token }) => place.readAdministratorToken(token));
        return (await Promise.all(read)).map((one) => (one.ok ? 'valid' : one.refusal));
      };
      return { ...place, other, parent, child, grandchild, makeFor, states };
    };

    test('expires with it at the latest, and is listed with who made it', async () => {
      const { parent, child, grandchild, userId, other, listAdministratorTokens, pass, states } =
        await family();
      expect([child.expiresAt, grandchild.expiresAt]).toEqual([parent.expiresAt, parent.expiresAt]);
      const madeBy = async (id: string) => (await listAdministratorTokens(id)).map((token) => token.madeBy);
      expect(await madeBy(other)).toEqual([{ actor: userId, tokenId: parent.tokenId }]);
      expect(await madeBy(userId)).toEqual([
        { actor: userId, tokenId: null },
        { actor: other, tokenId: child.tokenId },
      ]);
      expect(await states()).toEqual(['valid', 'valid', 'valid']);
      pass(day);
      expect(await states()).toEqual(['token-expired', 'token-expired', 'token-expired']);
    });

    test('ends with it, at once, and frees its name', async () => {
      const { parent, userId, other, states, makeFor, ...place } = await family();
      valueOf(await place.revokeAdministratorToken({ userId, tokenId: parent.tokenId, by: userId }));
      expect(await states()).toEqual(['token-revoked', 'token-revoked', 'token-revoked']);
      for (const id of [userId, other]) expect(await place.listAdministratorTokens(id)).toEqual([]);
      expect(await makeFor(other, userId, null)).toMatchObject({ name: 'Made' });
      const late = await makeFor(userId, userId, parent.tokenId);
      expect(await place.readAdministratorToken(late.token), 'made while it ended').toMatchObject({
        refusal: 'token-revoked',
      });
    });

    test('ends with the one in the middle, and with the account of who made it', async () => {
      const one = await family();
      valueOf(
        await one.revokeAdministratorToken({
          userId: one.other,
          tokenId: one.child.tokenId,
          by: 'break-glass',
        }),
      );
      expect(await one.states()).toEqual(['valid', 'token-revoked', 'token-revoked']);
      const two = await family();
      two.pass(1);
      await two.disableUser({ userId: two.userId, force: true });
      await two.enableUser(two.userId);
      expect(await two.states()).toEqual(['token-revoked', 'token-revoked', 'token-revoked']);
    });
  });

  test('RT-17: disabling the account ends it, and enabling the account does not bring it back', async () => {
    const { issue, readAdministratorToken, disableUser, enableUser, listAdministratorTokens, userId, pass } =
      await setUp();
    const { token } = valueOf(await issue());
    pass(1);
    await disableUser(userId);
    const ended = { ok: false, refusal: 'token-revoked' };
    expect(await readAdministratorToken(token)).toEqual(ended);
    expect(await issue()).toEqual({ ok: false, refusal: 'user-disabled' });
    await enableUser(userId);
    expect(await readAdministratorToken(token)).toEqual(ended);
    expect(await listAdministratorTokens(userId)).toEqual([]);
    pass(1);
    expect(await readAdministratorToken(valueOf(await issue()).token)).toMatchObject({ ok: true });
  });

  test('RT-17: one that is issued while the account is being disabled is not brought back by enabling it', async () => {
    let afterTheLook: (() => Promise<void>) | null = null;
    const place = await setUp({
      beforeRead: async (stream) => {
        if (!stream.startsWith('organization-')) return;
        await afterTheLook?.();
      },
    });
    const { issue, listAdministratorTokens, disableUser, enableUser, userId, pass } = place;
    afterTheLook = async () => {
      pass(1);
      await disableUser(userId);
      pass(1);
    };
    expect(await issue()).toEqual({ ok: false, refusal: 'user-disabled' });
    afterTheLook = null;
    await enableUser(userId);
    expect(await listAdministratorTokens(userId)).toEqual([]);
  });

  test('AC-04: is issued for an organization to its administrators only, and for all to anybody', async () => {
    const { issue, createOrganization, store, userId, organizationId, now } = await setUp();
    const { organizationId: theirs } = valueOf(await createOrganization({ name: 'Theirs' }));
    const refused = { ok: false, refusal: 'not-an-administrator' };
    for (const other of [theirs, nobody, 'not-an-id'])
      expect(await issue({ organizationId: other })).toEqual(refused);
    const left = { type: 'AdministratorRemoved', data: { userId, source: null, at: now() } } as const;
    await store.append(organizationStream(organizationId), 1n, [{ event: left }]);
    expect(await issue()).toEqual(refused);
    expect(await issue({ organizationId: null })).toMatchObject({ ok: true });
  });

  test.each([
    [{ name: ' ' }, ['name']],
    [{ name: 'two\nlines' }, ['name']],
    [{ days: 0 }, ['days']],
    [{ days: 366 }, ['days']],
    [{ days: 1.5, name: '' }, ['name', 'days']],
  ])('%j is refused by the names of the fields, and nothing is written', async (change, fields) => {
    const { issue, types } = await setUp();
    const before = types().length;
    const outcome = await issue(change);
    expect(outcome).toMatchObject({ ok: false, refusal: 'invalid' });
    expect(outcome.problems?.map(({ field }) => field)).toEqual(fields);
    expect(types()).toHaveLength(before);
  });

  test('an unknown user gets none', async () => {
    const { issue } = await setUp();
    for (const userId of [nobody, 'not-an-id'])
      expect(await issue({ userId })).toEqual({ ok: false, refusal: 'user-unknown' });
  });

  test('those that are asked for at once are as many as are allowed, each with a secret of its own', async () => {
    const { issue, listAdministratorTokens, readAdministratorToken, userId } = await setUp();
    const tokens: string[] = [];
    for (let index = 0; index < 15; index += 1)
      tokens.push(valueOf(await issue({ name: `before ${index}` })).token);
    const tried = await Promise.all(
      Array.from({ length: 10 }, (_, index) => issue({ name: `at once ${index}` })),
    );
    tokens.push(...tried.flatMap((outcome) => (outcome.ok ? [outcome.value.token] : [])));
    expect(new Set(tokens).size).toBe(20);
    expect(tried.filter(({ ok }) => !ok)).toEqual(
      Array.from({ length: 5 }, () => ({ ok: false, refusal: 'too-many-tokens' })),
    );
    expect(await listAdministratorTokens(userId)).toHaveLength(20);
    for (const token of tokens) expect(await readAdministratorToken(token)).toMatchObject({ ok: true });
  });

  test.each(['beforeAppend', 'afterAppend'] as const)(
    'an append that ends without a word (%s) makes one token, and ends it once',
    async (when) => {
      const { hooks, arm } = atAppend(when);
      const { issue, readAdministratorToken, revokeAdministratorToken, userId, types } = await setUp(hooks);
      arm();
      const { token, tokenId } = valueOf(await issue());
      expect(await readAdministratorToken(token)).toMatchObject({ ok: true });
      arm();
      expect(await revokeAdministratorToken({ userId, tokenId, by: userId })).toMatchObject({ ok: true });
      expect(types().slice(-2)).toEqual(['AdministratorTokenIssued', 'AdministratorTokenRevoked']);
    },
  );

  test('signing in and reading a session do not read the tokens', async () => {
    const { issue, signIn, readSession, reads, userId } = await setUp();
    await issue();
    reads.length = 0;
    const { cookie } = valueOf(await signIn({ email: 'ada@example.com', password: 'correct horse' }));
    expect(await readSession(cookie)).not.toBeNull();
    expect(reads.length).toBeGreaterThan(2);
    expect(reads).not.toContain(administratorTokensStream(userId));
  });
});
