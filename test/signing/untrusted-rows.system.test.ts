import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import type { TokenKeys } from '../../src/commands/credentials/token-keys.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { makeIdTokens } from '../../src/signing/id-tokens.ts';
import { makeKeyLog } from '../../src/signing/key-log.ts';
import { makeKeyRing } from '../../src/signing/key-ring.ts';
import { makeKeyStore } from '../../src/signing/key-store.ts';
import { makeKeyTable, type KeyTable } from '../../src/signing/key-table.ts';
import { makeSigningKeys } from '../../src/signing/signing-keys.ts';
import { exportedBy, eventAt, verify } from '../audit/exports.ts';
import { memoryStore, type MemoryStoreHooks } from '../support/memory/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

expectTrouble(/was not written by a holder of TOKEN_KEYS/);

let log: ReturnType<typeof memoryStore>;
let hooks: { -readonly [K in keyof MemoryStoreHooks]: MemoryStoreHooks[K] };
const reading = await testReadModels();
const table = makeKeyTable(reading);
beforeEach(() => {
  hooks = {};
  log = memoryStore({ beforeAppend: (stream, events) => hooks.beforeAppend?.(stream, events) });
});
afterEach(() => sql('delete from signing_keys'));
afterAll(() => reading.close());

const sql = (text: string, values: unknown[] = []) => reading.pool.query(text, values);
const server: TokenKeys = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };
const start = Date.parse('2026-01-01T00:00:00Z');
const lead = 600_000;

/** A program with the token keys, freshly started at a moment. */
const program = (at = start, keys = server, over: KeyTable = table) => {
  const needs = { table: over, keys, now: () => at, logger: quietLogger() };
  const store = makeKeyStore({ ...needs, log: makeKeyLog(log) });
  const ring = makeKeyRing({ ...needs, store });
  return { ...needs.logger, store, ring, signingKeys: makeSigningKeys(store, keys, needs.now) };
};
const kidsOf = async (at = start) => (await program(at).ring.publicKeys()).map(({ kid }) => kid).sort();
const events = () => log.all().map(({ event }) => event);
const typesOf = (kid: string) =>
  events().flatMap(({ type, data }: DomainEvent) => ('kid' in data && data.kid === kid ? [type] : []));

/** An RSA key of somebody who can only write to the database. */
const foreignKey = () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"e":"${e}","kty":"RSA","n":"${n}"}`).digest('base64url');
  return { kid, privateKey, publicJwk: { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' } };
};
/** All that a row needs besides is copied from a true one. */
const insertBeside = (kid: string, publicJwk: object, macs = 'macs') =>
  sql(
    `insert into signing_keys (kid, algorithm, public_jwk, token_key_id, sealed_private_key, created_at, current_from, macs)
     select $1, algorithm, $2, token_key_id, sealed_private_key, created_at, current_from + 1, ${macs}
     from signing_keys where algorithm = 'RS256' limit 1`,
    [kid, JSON.stringify(publicJwk)],
  );

test.each(['macs', `'{}'`])(
  'CL-03: a row that was written without TOKEN_KEYS is never published, signs nothing, and is named (%s)',
  async (macs) => {
    const kids = await kidsOf();
    const forged = foreignKey();
    await insertBeside(forged.kid, forged.publicJwk, macs);
    const { ring, signingKeys, lines } = program(start + lead);
    expect((await ring.publicKeys()).map(({ kid }) => kid).sort()).toEqual(kids);
    expect(kids).toContain((await ring.signer('RS256')).kid);
    expect(await signingKeys.untrusted()).toEqual([{ kid: forged.kid, why: 'not-authentic' }]);
    expect((await signingKeys.list()).map(({ kid }) => kid).sort()).toEqual(kids);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);

    const idToken = await new SignJWT({ sub: 'ada', aud: 'doors', iss: 'https://market.example' })
      .setProtectedHeader({ alg: 'RS256', kid: forged.kid })
      .sign(forged.privateKey);
    expect(await makeIdTokens(ring, () => start).read(idToken, 'https://market.example')).toBeNull();
    const jwks = { keys: (await ring.publicKeys()).map((key) => ({ ...key })) };
    const exported = await exportedBy({ ...forged, jwks }, [eventAt(1)]);
    expect(await verify(exported), 'it is whole, and signed by somebody').toMatchObject({ ok: true });
    expect(await verify(exported, jwks)).toMatchObject({ ok: false });
  },
);

test.each<[string, string, string]>([
  ['a time of its own', `current_from = current_from - 1`, 'not-authentic'],
  ['another time of making', `created_at = created_at - 1`, 'not-authentic'],
  ['no MAC', `macs = '{}'`, 'not-authentic'],
  ['a member more', `public_jwk = public_jwk || '{"x5u": "https://evil.example"}'`, 'malformed'],
  ['another use', `public_jwk = public_jwk || '{"use": "enc"}'`, 'malformed'],
  ['no public key', `public_jwk = 'null'`, 'malformed'],
  ['another id', `kid = 'mine'`, 'kid-is-not-thumbprint'],
  ['a token key that nobody has', `macs = '{}', token_key_id = 'k9'`, 'unknown-token-key'],
  ['MACs that are none', `macs = '[1]', sealed_private_key = 'x'`, 'not-authentic'],
])('CL-03: a true row that was given %s is not trusted any more', async (_, change, why) => {
  await kidsOf();
  await program().store.keep();
  const { rows } = await sql(`update signing_keys set ${change} where algorithm = 'RS256' returning kid`);
  const { kid } = rows[0] as { kid: string };
  const { ring, signingKeys } = program();
  expect(await signingKeys.untrusted()).toEqual([{ kid, why }]);
  expect((await ring.publicKeys()).map((key) => key.kid)).not.toContain(kid);
  expect(await ring.publicKeyOf(kid)).toBeNull();
});

test('CL-03: keys that a restored log lacks are noted there again', async () => {
  const kids = await kidsOf();
  log = memoryStore();
  expect(await kidsOf()).toEqual(kids);
  const { store, signingKeys } = program(start + 1000);
  await store.keep();
  for (const kid of kids) {
    expect(typesOf(kid)).toEqual(['SigningKeyMade', 'SigningKeyPublished']);
  }
  expect(events()).toContainEqual(
    expect.objectContaining({
      type: 'SigningKeyMade',
      data: expect.objectContaining({ kid: kids[0], createdAt: start, at: start + 1000 }) as object,
    }),
  );
  expect((await signingKeys.list()).map(({ publishedAt }) => publishedAt)).toEqual([
    start + 1000,
    start + 1000,
  ]);
});

test('CL-03: making, publishing and retiring a key are events, each once however many instances look', async () => {
  const first = (await program().ring.signer('RS256')).kid;
  const rotated = await program(start + 1).signingKeys.rotate('RS256');
  if (!rotated.ok) throw new Error(rotated.refusal);
  const { kid } = rotated.key;
  expect(typesOf(kid)).toEqual(['SigningKeyMade', 'SigningKeyPublished']);
  const made = log.all().find(({ event }) => event.type === 'SigningKeyMade' && event.data.kid === kid);
  expect(made).toMatchObject({ metadata: { actor: 'break-glass' }, event: { data: { alg: 'RS256' } } });

  const takenOver = start + 1 + lead;
  await Promise.all([1, 2, 3].map(() => program(takenOver - 1).store.keep()));
  expect(typesOf(first)).toEqual(['SigningKeyMade', 'SigningKeyPublished']);
  await Promise.all([1, 2, 3].map(() => program(takenOver + 5000).store.keep()));
  expect(typesOf(first)).toEqual(['SigningKeyMade', 'SigningKeyPublished', 'SigningKeyRetired']);
  const publishedUntil = takenOver + 4_200_000;
  expect(events().at(-1)).toEqual({
    type: 'SigningKeyRetired',
    data: { kid: first, at: takenOver, publishedUntil, reason: 'superseded', successor: kid },
  });
  const [old, now] = await program(publishedUntil - 1).signingKeys.list();
  expect(old).toMatchObject({ kid: first, state: 'retired', retiredAt: takenOver, publishedUntil });
  expect(now).toMatchObject({ kid, state: 'current', publishedAt: start + 1, retiredAt: null });
  expect(await kidsOf(publishedUntil)).not.toContain(first);
});

test('CL-03: the log knows of a key before the database has it, and hears of its publishing from whoever comes next', async () => {
  expectTrouble(/the log does not say yet .*killed/);
  hooks.beforeAppend = (_, [appended]) => {
    if (appended?.event.type === 'SigningKeyMade') throw new Error('away');
  };
  await expect(program().ring.signer('RS256')).rejects.toThrow('away');
  expect(await table.all()).toEqual([]);
  hooks.beforeAppend = (_, [appended]) => {
    if (appended?.event.type === 'SigningKeyPublished') throw new Error('killed');
  };
  const { kid } = await program().ring.signer('RS256');
  expect(typesOf(kid)).toEqual(['SigningKeyMade']);
  hooks = {};
  await program().store.keep();
  expect(typesOf(kid)).toEqual(['SigningKeyMade', 'SigningKeyPublished']);

  const lost = {
    ...table,
    add: async (make: Parameters<KeyTable['add']>[0]) => void (await make(await table.all())) as never,
  };
  await expect(program(start, server, lost).ring.signer('ES256')).rejects.toThrow('no signing key');
  await program().store.keep();
  const unfinished = events()
    .filter(({ type }) => type === 'SigningKeyMade')
    .at(-1) as { data: { kid: string } };
  expect(typesOf(unfinished.data.kid), 'made, and never seen').toEqual(['SigningKeyMade']);
});

test('CL-03: deleting the newer key brings no retired one back, and the log says that it is missing', async () => {
  const first = (await program().ring.signer('RS256')).kid;
  const rotated = await program().signingKeys.rotate('RS256');
  if (!rotated.ok) throw new Error(rotated.refusal);
  const { kid } = rotated.key;
  const later = start + lead;
  await program(later).store.keep();
  const { rows } = await sql('delete from signing_keys where kid = $1 returning *', [kid]);
  const { ring, signingKeys, store } = program(later + 1);
  const third = (await ring.signer('RS256')).kid;
  expect([first, kid]).not.toContain(third);
  expect((await signingKeys.list()).map((key) => [key.kid, key.state])).toEqual([
    [first, 'retired'],
    [third, 'current'],
  ]);
  expect(events()).toContainEqual({
    type: 'SigningKeyRetired',
    data: { kid, at: later + 1, publishedUntil: later + 1, reason: 'missing', successor: null },
  });

  const [row] = rows as Record<string, unknown>[];
  const columns = Object.keys(row ?? {});
  const values = columns.map((column) =>
    column === 'public_jwk' || column === 'macs' ? JSON.stringify(row?.[column]) : row?.[column],
  );
  await sql(
    `insert into signing_keys (${columns.join()}) values (${columns.map((__, at) => `$${at + 1}`).join()})`,
    values,
  );
  await store.keep();
  expect(typesOf(kid), 'a backup was put back').toEqual([
    'SigningKeyMade',
    'SigningKeyPublished',
    'SigningKeyRetired',
    'SigningKeyPublished',
    'SigningKeyRetired',
  ]);
  expect(await kidsOf(later + 1)).toContain(kid);
});

test('CL-03: an event that does not belong among those of the keys takes no key away', async () => {
  const kids = await kidsOf();
  const foreign: DomainEvent = {
    type: 'OrganizationCreated',
    data: { organizationId: '01JD0000000000000000000000', name: 'x', at: 1 } as never,
  };
  const { revision } = await log.read('signingKey-log');
  await log.append('signingKey-log', revision, [{ event: foreign }]);
  expect(await kidsOf()).toEqual(kids);
});
