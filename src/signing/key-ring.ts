import type { KeyObject } from 'node:crypto';
import type { TokenKeys } from '../commands/token-keys.ts';
import type { Instant } from '../domain/decision.ts';
import type { Logger } from '../projections/read-lane.ts';
import { generateSigningKey } from './generate-key.ts';
import type { KeyTable } from './key-table.ts';
import { openPrivateKey } from './sealed-key.ts';
import { isNewer, stateOf, type PublicJwk, type StoredKey } from './signing-key.ts';

/** The signing keys as this instance knows them. Costs nothing until somebody asks for the first one. */
export type KeyRing = {
  /** Every key that a valid id_token may be signed with now or soon, the newest last. Never empty. */
  readonly publicKeys: () => Promise<readonly PublicJwk[]>;
  /** Also one that is published no longer: what it has signed may still be shown to us. Null for none of ours. */
  readonly publicKeyOf: (kid: string) => Promise<PublicJwk | null>;
  /** The key to sign with now; made when there is none yet. */
  readonly signer: () => Promise<Signer>;
};

export type Signer = { readonly kid: string; readonly alg: 'RS256'; readonly privateKey: KeyObject };

export type KeyRingNeeds = {
  readonly table: KeyTable;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
  readonly logger: Logger;
};

/** How long an instance may not know what another one has added; less than a key is published ahead of its use. */
const maxAge = 30_000;

export const makeKeyRing = (needs: KeyRingNeeds): KeyRing => {
  const { keys, now } = needs;
  const opened = new Map<string, KeyObject | null>();
  const privateKeyOf = (key: StoredKey): KeyObject | null => {
    const known = opened.get(key.kid);
    if (known !== undefined) return known;
    const privateKey = openPrivateKey(keys, key);
    opened.set(key.kid, privateKey);
    return privateKey;
  };
  const signerAmong = (all: readonly StoredKey[]): Signer | null => {
    const usable = all.filter((key) => key.currentFrom <= now() && privateKeyOf(key) !== null);
    const [key] = usable.toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
    const privateKey = key && privateKeyOf(key);
    return key && privateKey ? { kid: key.kid, alg: key.publicJwk.alg, privateKey } : null;
  };
  const known = makeKnownKeys(needs, (all) => signerAmong(all) !== null);

  return {
    async publicKeys() {
      const all = await known();
      return all.filter((key) => stateOf(key, all, now()) !== 'gone').map(({ publicJwk }) => publicJwk);
    },
    publicKeyOf: async (kid) => (await known()).find((key) => key.kid === kid)?.publicJwk ?? null,
    async signer() {
      const signer = signerAmong(await known());
      if (!signer) throw new Error('there is no signing key that the token keys open');
      return signer;
    },
  };
};

/** All keys, at most `maxAge` old, with one among them that signs. Whoever asks while they are read waits with the others. */
const makeKnownKeys = (
  { table, keys, now, logger }: KeyRingNeeds,
  canSign: (all: readonly StoredKey[]) => boolean,
) => {
  let known: { readonly all: readonly StoredKey[]; readonly until: Instant } | undefined;
  let loading: Promise<readonly StoredKey[]> | undefined;

  const load = async (): Promise<readonly StoredKey[]> => {
    const found = await table.all();
    const all = canSign(found) ? found : await addFirst();
    known = { all, until: now() + maxAge };
    return all;
  };
  const addFirst = async () => {
    const at = now();
    const key = await generateSigningKey(keys, { createdAt: at, currentFrom: at });
    return table.add(key, (all) => !canSign(all));
  };
  const reload = async (): Promise<readonly StoredKey[]> => {
    try {
      return await load();
    } catch (error) {
      // A code that was redeemed a moment ago is better answered with yesterday's key than not at all.
      if (!known) throw error;
      logger.warn({ err: error }, 'the signing keys cannot be read; those known are used');
      return known.all;
    } finally {
      loading = undefined;
    }
  };
  return async (): Promise<readonly StoredKey[]> =>
    known && now() < known.until ? known.all : (loading ??= reload());
};
