import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import type { TokenKeys } from '../../src/commands/credentials/token-keys.ts';
import type { IdTokenAlg } from '../../src/domain/addons/addon.ts';
import { idTokenAlgs } from '../../src/domain/addons/events.ts';
import { makeIdTokens } from '../../src/signing/id-tokens.ts';
import { makeKeyLog } from '../../src/signing/key-log.ts';
import { makeKeyRing } from '../../src/signing/key-ring.ts';
import { makeKeyStore } from '../../src/signing/key-store.ts';
import { makeKeyTable, type KeyTable } from '../../src/signing/key-table.ts';
import { decryptPrivateKey } from '../../src/signing/encrypted-key.ts';
import type { PublicJwk } from '../../src/signing/signing-key.ts';
import { makeSigningKeys } from '../../src/signing/signing-keys.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { takePairsAgain } from '../support/keys/rsa-pairs.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

let log: ReturnType<typeof memoryStore>;
const reading = await testReadModels();
const table = makeKeyTable(reading);
beforeEach(() => void (log = memoryStore()));
afterEach(() => {
  takePairsAgain();
  return reading.pool.query('delete from signing_keys');
});
afterAll(() => reading.close());

const tokenKeys = (...ids: readonly string[]): TokenKeys => ({
  current: ids[0] ?? '',
  keys: new Map(ids.map((id) => [id, randomBytes(32)])),
});
const server = tokenKeys('k1');
const start = Date.parse('2026-01-01T00:00:00Z');

/** The keys as one program with these token keys finds them. */
const keyStore = (now: () => number, keys: TokenKeys = server, over: KeyTable = table) =>
  makeKeyStore({ table: over, log: makeKeyLog(log), keys, now, logger: quietLogger() });
const operator = (now: () => number) => makeSigningKeys(keyStore(now), server, now);

/** An instance of the service with a clock of its own. */
const instance = ({ keys = server, over = table }: { keys?: TokenKeys; over?: KeyTable } = {}) => {
  let at = start;
  const now = () => at;
  const ring = makeKeyRing({ store: keyStore(now, keys, over), keys, now, logger: quietLogger() });
  const kids = async (of: IdTokenAlg = 'RS256') =>
    (await ring.publicKeys()).filter(({ alg }) => alg === of).map(({ kid }) => kid);
  return { ...ring, ring, kids, advance: (ms: number) => void (at += ms) };
};

test('JW-01: instances that start together make one key of each algorithm, and publish only its public members', async () => {
  const instances = Array.from({ length: 6 }, () => instance());
  const published = await Promise.all(instances.map(({ publicKeys }) => publicKeys()));
  const [first = []] = published;
  const byAlg = first.toSorted((a, b) => (a.alg > b.alg ? -1 : 1));
  expect(published).toEqual(published.map(() => first));
  expect(byAlg).toMatchObject([
    { kty: 'RSA', use: 'sig', alg: 'RS256' },
    { kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' },
  ]);
  expect(byAlg.map((key) => Object.keys(key).sort())).toEqual([
    ['alg', 'e', 'kid', 'kty', 'n', 'use'],
    ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
  ]);
  for (const [index, alg] of (['RS256', 'ES256'] as const).entries()) {
    const signers = await Promise.all(instances.map(({ signer }) => signer(alg)));
    expect(new Set(signers.map(({ kid }) => kid))).toEqual(new Set([byAlg[index]?.kid]));
  }
});

test('JW-01: a kid is the thumbprint of its key, so it is nobody else’s', async () => {
  for (const { kid, ...key } of await instance().publicKeys())
    expect(await calculateJwkThumbprint(key)).toBe(kid);
});

test('JW-02: the first key of an algorithm is made by whoever needs it first, and only that one', async () => {
  const one = instance();
  await Promise.all(Array.from({ length: 8 }, () => one.signer('ES256')));
  expect((await table.all()).map(({ publicJwk }) => (publicJwk as PublicJwk).alg)).toEqual(['ES256']);
  expect(await one.publicKeyOf('another')).toBeNull();
  expect(await table.all(), 'looking for one makes none').toHaveLength(1);
  await one.publicKeys();
  expect(await table.all(), 'whoever reads the keys knows all of them before they sign').toHaveLength(2);
});

test.each(idTokenAlgs)(
  'ID-01: what one instance signs by %s, a client checks with the keys of another',
  async (alg) => {
    const { ring } = instance();
    const jwt = await makeIdTokens(ring, () => start).issue({
      issuer: 'https://market.example',
      userId: 'ada',
      addonId: 'doors',
      organizationId: null,
      authTime: start - 60_500,
      authentication: null,
      nonce: null,
      accessToken: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y',
      alg,
    });
    const keys = createLocalJWKSet({ keys: (await instance().publicKeys()).map((key) => ({ ...key })) });
    const { payload, protectedHeader } = await jwtVerify(jwt, keys, { currentDate: new Date(start) });
    expect(protectedHeader).toMatchObject({ alg, typ: 'JWT' });
    expect(payload).toEqual({
      iss: 'https://market.example',
      sub: 'ada',
      aud: 'doors',
      iat: start / 1000,
      exp: start / 1000 + 3600,
      auth_time: start / 1000 - 61,
      at_hash: '77QmUPtjPfzWtF2AnpK9RQ', // the example of Core §A.3
    });
  },
);

test.each(idTokenAlgs)(
  'the private half of a key for %s is nowhere in the table in plain text, and opens only with the key that sealed it',
  async (alg) => {
    const { signer } = instance();
    const { privateKey } = await signer(alg);
    const { rows } = await reading.pool.query<{ all: string }>(
      'select signing_keys::text as all from signing_keys',
    );
    const { d = '', p = d, q = d } = privateKey.export({ format: 'jwk' });
    const der = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex');
    const secrets = [d, p, q].map((member) => Buffer.from(member, 'base64url').toString('hex'));
    for (const secret of [...secrets, der, d]) {
      expect(secret.length).toBeGreaterThan(40);
      expect(rows[0]?.all).not.toContain(secret);
    }

    const [stored] = await table.all();
    if (!stored) throw new Error('no key');
    expect(decryptPrivateKey(server, stored)?.equals(privateKey)).toBe(true);
    expect(decryptPrivateKey(tokenKeys('k1'), stored)).toBeNull();
    expect(decryptPrivateKey(tokenKeys('k2'), stored)).toBeNull();
    expect(decryptPrivateKey(server, { ...stored, kid: `${stored.kid}x` })).toBeNull();
    const changed = Uint8Array.from(stored.encryptedPrivateKey);
    changed[40] = (changed[40] ?? 0) ^ 1;
    expect(decryptPrivateKey(server, { ...stored, encryptedPrivateKey: changed })).toBeNull();
  },
);

test('JW-02: a key that another instance adds is published at once here, signs from its time on, and stays as long as needed', async () => {
  const one = instance();
  const first = (await one.signer('RS256')).kid;
  const lead = 600_000;
  const rotated = await operator(() => start).rotate('RS256');
  if (!rotated.ok) throw new Error(rotated.refusal);
  const next = rotated.key;
  expect(next).toMatchObject({ state: 'published', currentFrom: start + lead });

  one.advance(30_000);
  expect(await one.kids()).toEqual([first, next.kid]);
  expect((await one.signer('RS256')).kid).toBe(first);
  one.advance(lead - 30_000);
  expect((await one.signer('RS256')).kid).toBe(next.kid);
  expect(await one.kids()).toEqual([first, next.kid]);
  one.advance(3_600_000);
  expect(await one.kids(), 'the last id_token of the first key has just expired').toEqual([first, next.kid]);
  one.advance(600_000);
  expect(await one.kids()).toEqual([next.kid]);
  expect(await one.publicKeyOf(first), 'for hints, which may be older').toMatchObject({ kid: first });
  expect(await one.publicKeyOf('another')).toBeNull();
});

test('JW-02: each algorithm has an overlap of its own', async () => {
  let at = start;
  const signingKeys = operator(() => at);
  const states = async () => (await signingKeys.list()).map(({ alg, state }) => `${alg} ${state}`).sort();
  const one = instance();
  const rs256 = (await one.signer('RS256')).kid;
  const [es256] = await one.kids('ES256');
  expect(await signingKeys.rotate('ES256')).toMatchObject({
    ok: true,
    key: { alg: 'ES256', state: 'published' },
  });
  expect(await signingKeys.rotate('ES256')).toMatchObject({ ok: false, waiting: { alg: 'ES256' } });
  expect(await states()).toEqual(['ES256 current', 'ES256 published', 'RS256 current']);
  at += 600_000;
  one.advance(600_000);
  expect(await states()).toEqual(['ES256 current', 'ES256 retired', 'RS256 current']);
  expect((await one.signer('RS256')).kid).toBe(rs256);
  expect((await one.signer('ES256')).kid).not.toBe(es256);
  expect(await signingKeys.rotate('RS256')).toMatchObject({
    ok: true,
    key: { alg: 'RS256', state: 'published' },
  });
  expect(await states()).toHaveLength(4);
  one.advance(4_200_000);
  expect(await one.kids('ES256'), 'its last id_token has expired').not.toContain(es256);
});

test('AZ-21: an id_token is read back whatever signs it, and nothing that claims another algorithm than its key', async () => {
  const { ring, signer } = instance();
  const idTokens = makeIdTokens(ring, () => start);
  const issuer = 'https://market.example';
  const claims = {
    issuer,
    userId: 'ada',
    addonId: 'doors',
    organizationId: null,
    authTime: start,
    nonce: null,
    authentication: null,
    accessToken: 'a',
  };
  const [rs256, es256] = [await signer('RS256'), await signer('ES256')];
  for (const alg of idTokenAlgs) {
    const jwt = await idTokens.issue({ ...claims, alg });
    expect(await idTokens.read(jwt, issuer)).toEqual({ userId: 'ada', addonId: 'doors' });
    expect(await idTokens.read(jwt, 'https://other.example')).toBeNull();
    for (const length of [1, 20, jwt.length - 2])
      expect(await idTokens.read(jwt.slice(0, -length), issuer)).toBeNull();
  }
  const forge = (alg: string, kid: string, key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT({ sub: 'ada', aud: 'doors', iss: issuer }).setProtectedHeader({ alg, kid }).sign(key);
  const forged = [
    await forge('ES256', rs256.kid, es256.privateKey),
    await forge('RS256', es256.kid, rs256.privateKey),
    await forge('PS256', rs256.kid, rs256.privateKey),
    await forge('HS256', rs256.kid, Buffer.from(JSON.stringify(await ring.publicKeyOf(rs256.kid)))),
  ];
  for (const jwt of forged) expect(await idTokens.read(jwt, issuer)).toBeNull();
});

test('of rotations at once one takes place, and the next one only when that has taken over', async () => {
  let at = start;
  const signingKeys = operator(() => at);
  expect(await signingKeys.list()).toEqual([]);
  const first = await signingKeys.rotate('RS256');
  expect(first).toMatchObject({ ok: true, key: { state: 'current', currentFrom: start } });
  const tries = await Promise.all([1, 2, 3].map(() => signingKeys.rotate('RS256')));
  expect(tries.filter(({ ok }) => ok)).toHaveLength(1);
  expect(tries.find(({ ok }) => !ok)).toMatchObject({
    refusal: 'rotation-under-way',
    waiting: { state: 'published', currentFrom: start + 600_000 },
  });
  at += 600_000;
  expect((await signingKeys.list()).map(({ state }) => state)).toEqual(['retired', 'current']);
  expect(await signingKeys.rotate('RS256')).toMatchObject({ ok: true });
});

test('CL-03: a key stays published when its token key is taken away after an overlap, and not without one', async () => {
  expectTrouble(/was not written by a holder of TOKEN_KEYS/);
  const old = (await instance().signer('RS256')).kid;
  const both: TokenKeys = { current: 'k2', keys: new Map([...tokenKeys('k2').keys, ...server.keys]) };
  const onlyNew: TokenKeys = { current: 'k2', keys: new Map([...both.keys].filter(([id]) => id === 'k2')) };
  expect(await instance({ keys: onlyNew }).publicKeyOf(old), 'nobody here can tell who wrote it').toBeNull();
  await keyStore(() => start, both).keep();
  const replaced = instance({ keys: onlyNew });
  replaced.advance(1);
  const { kid } = await replaced.signer('RS256');
  expect(kid).not.toBe(old);
  expect([...(await replaced.kids())].sort()).toEqual([old, kid].sort());
  expect(
    (await instance().publicKeyOf(old))?.kid,
    'instances with the old token key only know it still',
  ).toBe(old);
});

test('the table is asked once for many, again after half a minute, and not needed while it is away', async () => {
  expectTrouble(/the signing keys cannot be read/);
  await instance().publicKeys();
  let asked = 0;
  let away = false;
  const all = () => {
    asked += 1;
    return away ? Promise.reject(new Error('away')) : table.all();
  };
  const one = instance({ over: { ...table, all } });
  const [first] = await Promise.all([one.signer('RS256'), one.signer('RS256'), one.publicKeys()]);
  await one.signer('RS256');
  expect(asked).toBe(1);
  away = true;
  one.advance(30_000);
  expect(await one.signer('RS256')).toEqual(first);
  expect(asked).toBe(2);
  const fresh = instance({ over: { ...table, all } });
  await expect(fresh.signer('RS256')).rejects.toThrow('away');
});
