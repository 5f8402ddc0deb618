import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { TokenKeys } from '../../src/commands/token-keys.ts';
import { makeIdTokens } from '../../src/signing/id-tokens.ts';
import { makeKeyRing } from '../../src/signing/key-ring.ts';
import { makeKeyTable, type KeyTable } from '../../src/signing/key-table.ts';
import { openPrivateKey } from '../../src/signing/sealed-key.ts';
import { makeSigningKeys } from '../../src/signing/signing-keys.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../support/read-models.ts';

let reading: TestReadModels;
let table: KeyTable;
beforeAll(async () => {
  reading = await testReadModels();
  table = makeKeyTable(reading);
});
afterEach(() => reading.pool.query('delete from signing_keys'));
afterAll(() => reading.close());

const tokenKeys = (...ids: readonly string[]): TokenKeys => ({
  current: ids[0] ?? '',
  keys: new Map(ids.map((id) => [id, randomBytes(32)])),
});
const server = tokenKeys('k1');
const start = Date.parse('2026-01-01T00:00:00Z');

/** An instance of the service with a clock of its own. */
const instance = ({ keys = server, over = table }: { keys?: TokenKeys; over?: KeyTable } = {}) => {
  let at = start;
  const ring = makeKeyRing({ table: over, keys, now: () => at, logger: quietLogger() });
  const kids = async () => (await ring.publicKeys()).map(({ kid }) => kid);
  return { ...ring, ring, kids, advance: (ms: number) => void (at += ms) };
};

test('JW-01: instances that start together make one key, and publish only its public members', async () => {
  const instances = Array.from({ length: 6 }, () => instance());
  const published = await Promise.all(instances.map(({ publicKeys }) => publicKeys()));
  const [[key, ...others] = []] = published;
  expect(others).toEqual([]);
  expect(published).toEqual(published.map(() => [key]));
  expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' });
  const signers = await Promise.all(instances.map(({ signer }) => signer()));
  expect(new Set(signers.map(({ kid }) => kid))).toEqual(new Set([key?.kid]));
});

test('ID-01: what one instance signs, a client checks with the keys of another', async () => {
  const { ring } = instance();
  const jwt = await makeIdTokens(ring, () => start).issue({
    issuer: 'https://market.example',
    userId: 'ada',
    addonId: 'doors',
    authTime: start - 60_500,
    nonce: null,
  });
  const keys = createLocalJWKSet({ keys: (await instance().publicKeys()).map((key) => ({ ...key })) });
  const { payload, protectedHeader } = await jwtVerify(jwt, keys, { currentDate: new Date(start) });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
  expect(payload).toEqual({
    iss: 'https://market.example',
    sub: 'ada',
    aud: 'doors',
    iat: start / 1000,
    exp: start / 1000 + 3600,
    auth_time: start / 1000 - 61,
  });
});

test('the private half is nowhere in the table in plain text, and opens only with the key that sealed it', async () => {
  const { signer } = instance();
  const { kid, privateKey } = await signer();
  const { rows } = await reading.pool.query<{ all: string }>(
    'select signing_keys::text as all from signing_keys',
  );
  const { d = '', p = '', q = '' } = privateKey.export({ format: 'jwk' });
  const der = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex');
  for (const secret of [d, p, q]
    .map((member) => Buffer.from(member, 'base64url').toString('hex'))
    .concat(der))
    expect(rows[0]?.all).not.toContain(secret);
  expect(rows[0]?.all).not.toContain(d);

  const [stored] = await table.all();
  if (!stored) throw new Error('no key');
  expect(openPrivateKey(server, stored)?.equals(privateKey)).toBe(true);
  expect(openPrivateKey(tokenKeys('k1'), stored)).toBeNull();
  expect(openPrivateKey(tokenKeys('k2'), stored)).toBeNull();
  expect(openPrivateKey(server, { ...stored, kid: `${kid}x` })).toBeNull();
  const changed = Uint8Array.from(stored.sealedPrivateKey);
  changed[40] = (changed[40] ?? 0) ^ 1;
  expect(openPrivateKey(server, { ...stored, sealedPrivateKey: changed })).toBeNull();
});

test('JW-02: a key that another instance adds is published at once here, signs from its time on, and stays as long as needed', async () => {
  const one = instance();
  const first = (await one.signer()).kid;
  const lead = 600_000;
  const rotated = await makeSigningKeys(table, server, () => start).rotate();
  if (!rotated.ok) throw new Error(rotated.refusal);
  const next = rotated.key;
  expect(next).toMatchObject({ state: 'published', currentFrom: start + lead });

  one.advance(30_000);
  expect(await one.kids()).toEqual([first, next.kid]);
  expect((await one.signer()).kid).toBe(first);
  one.advance(lead - 30_000);
  expect((await one.signer()).kid).toBe(next.kid);
  expect(await one.kids()).toEqual([first, next.kid]);
  one.advance(3_600_000);
  expect(await one.kids(), 'the last id_token of the first key has just expired').toEqual([first, next.kid]);
  one.advance(600_000);
  expect(await one.kids()).toEqual([next.kid]);
  expect(await one.publicKeyOf(first), 'for hints, which may be older').toMatchObject({ kid: first });
  expect(await one.publicKeyOf('another')).toBeNull();
});

test('of rotations at once one takes place, and the next one only when that has taken over', async () => {
  let at = start;
  const signingKeys = makeSigningKeys(table, server, () => at);
  expect(await signingKeys.list()).toEqual([]);
  const first = await signingKeys.rotate();
  expect(first).toMatchObject({ ok: true, key: { state: 'current', currentFrom: start } });
  const tries = await Promise.all([1, 2, 3].map(() => signingKeys.rotate()));
  expect(tries.filter(({ ok }) => ok)).toHaveLength(1);
  expect(tries.find(({ ok }) => !ok)).toMatchObject({
    refusal: 'rotation-under-way',
    waiting: { state: 'published', currentFrom: start + 600_000 },
  });
  at += 600_000;
  expect((await signingKeys.list()).map(({ state }) => state)).toEqual(['retired', 'current']);
  expect(await signingKeys.rotate()).toMatchObject({ ok: true });
});

test('a server whose token key was replaced makes a new signing key and still publishes the old one', async () => {
  const old = (await instance().signer()).kid;
  const replaced = instance({ keys: tokenKeys('k2') });
  const { kid } = await replaced.signer();
  expect(kid).not.toBe(old);
  expect([...(await replaced.kids())].sort()).toEqual([old, kid].sort());
});

test('the table is asked once for many, again after half a minute, and not needed while it is away', async () => {
  let asked = 0;
  let away = false;
  const all = () => {
    asked += 1;
    return away ? Promise.reject(new Error('away')) : table.all();
  };
  const one = instance({ over: { ...table, all } });
  const [first] = await Promise.all([one.signer(), one.signer(), one.publicKeys()]);
  await one.signer();
  expect(asked).toBe(1);
  away = true;
  one.advance(30_000);
  expect(await one.signer()).toEqual(first);
  expect(asked).toBe(2);
  const fresh = instance({ over: { ...table, all } });
  await expect(fresh.signer()).rejects.toThrow('away');
});
