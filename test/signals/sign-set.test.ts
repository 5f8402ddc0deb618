import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import type { IdTokenAlg } from '../../src/domain/addons/addon.ts';
import { makeSignSet } from '../../src/signals/sign-set.ts';

const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
};
const issuer = 'https://grantbook.example';
const claims = {
  iat: 1_795_168_800,
  txn: '4bf92f3577b34da6a3ce929d0e0e4736',
  sub_id: { format: 'opaque', id: 'A1' },
  events: { 'https://grantbook.example/signals/addon-suspended': { reason: 'why' } },
};

test.each(['RS256', 'ES256'] as const)(
  'SG-04: a SET for an add-on with %s has the explicit type, and neither sub nor exp',
  async (alg) => {
    const sign = makeSignSet({
      ring: {
        signer: (asked: IdTokenAlg) =>
          Promise.resolve({ kid: `kid-${asked}`, alg: asked, privateKey: pairs[asked].privateKey }),
      },
      issuer,
      algOf: () => Promise.resolve(alg),
    });
    const set = await sign('A1', { jti: 'J1', claims });
    const verified = await jwtVerify(set, pairs[alg].publicKey, {
      typ: 'secevent+jwt',
      issuer,
      audience: 'A1',
      algorithms: [alg],
    });
    expect(verified.protectedHeader).toEqual({ alg, kid: `kid-${alg}`, typ: 'secevent+jwt' });
    expect(verified.payload).toEqual({ iss: issuer, aud: 'A1', jti: 'J1', ...claims });
  },
);
