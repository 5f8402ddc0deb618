import { makeIdTokens } from '../signing/id-tokens.ts';
import { makeKeyLog } from '../signing/key-log.ts';
import { makeKeyRing } from '../signing/key-ring.ts';
import { makeKeyStore } from '../signing/key-store.ts';
import { makeKeyTable } from '../signing/key-table.ts';
import { makeSignJws } from '../signing/sign-jws.ts';
import { makeSigningKeys } from '../signing/signing-keys.ts';
import type { Stores } from './stores.ts';

/** The keys of the JWKS, and signing with them. */
export const composeSigning = ({ pool, reader, store, keys, now, logger }: Stores) => {
  const [table, log] = [makeKeyTable({ pool, reader }), makeKeyLog(store)];
  const keyStore = makeKeyStore({ table, log, keys, now, logger });
  const ring = makeKeyRing({ store: keyStore, keys, now, logger });
  return {
    keyStore,
    ring,
    signingKeys: makeSigningKeys(keyStore, keys, now),
    idTokens: makeIdTokens(ring, now),
    sign: makeSignJws(() => ring.signer('RS256')),
  };
};

export type Signing = ReturnType<typeof composeSigning>;
