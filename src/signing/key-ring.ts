import type { KeyObject } from 'node:crypto';
import type { TokenKeys } from '../commands/credentials/token-keys.ts';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import { idTokenAlgs } from '../domain/addons/events.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { Logger } from '../projections/database/pipelined-reader.ts';
import { generateSigningKey, decryptPrivateKey } from './encrypted-key.ts';
import type { KeyStore } from './key-store.ts';
import { isNewer, keysFor, stateOf, type PublicJwk, type StoredKey } from './signing-key.ts';

/** The signing keys as this instance knows them. Nothing is loaded before the first request for one. */
export type KeyRing = {
  /**
   * Every key that may sign a valid id_token now or soon, the newest last. At least one of every algorithm: a client
   * that has read them once then knows the first key of each before its first signature (JW-02).
   */
  readonly publicKeys: () => Promise<readonly PublicJwk[]>;
  /** Also unpublished ones, whose signatures may still be presented; null for one that is not ours. */
  readonly publicKeyOf: (kid: string) => Promise<PublicJwk | null>;
  /** The key of an algorithm to sign with now; created if there is none yet. */
  readonly signer: (alg: IdTokenAlg) => Promise<Signer>;
};

export type Signer = { readonly kid: string; readonly alg: IdTokenAlg; readonly privateKey: KeyObject };

export type KeyRingDependencies = {
  readonly store: Pick<KeyStore, 'load' | 'add'>;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
  readonly logger: Logger;
};

/** How long another instance's key may be unknown; less than from its publication to its use. */
const maxAge = 30_000;

export const makeKeyRing = (dependencies: KeyRingDependencies): KeyRing => {
  const { keys, now } = dependencies;
  const opened = new Map<string, KeyObject | null>();
  const privateKeyOf = (key: StoredKey): KeyObject | null => {
    const known = opened.get(key.kid);
    if (known !== undefined) return known;
    const privateKey = decryptPrivateKey(keys, key);
    opened.set(key.kid, privateKey);
    return privateKey;
  };
  const signerAmong = (all: readonly StoredKey[], alg: IdTokenAlg): Signer | null => {
    const usable = keysFor(all, alg).filter(
      (key) => key.currentFrom <= now() && key.retiredAt === null && privateKeyOf(key) !== null,
    );
    const [key] = usable.toSorted((a, b) => (isNewer(a, b) ? -1 : 1));
    const privateKey = key && privateKeyOf(key);
    return key && privateKey ? { kid: key.kid, alg, privateKey } : null;
  };
  const known = makeKnownKeys(dependencies, (all, alg) => signerAmong(all, alg) !== null);

  return {
    async publicKeys() {
      const all = await known(idTokenAlgs);
      return all.filter((key) => stateOf(key, all, now()) !== 'gone').map(({ publicJwk }) => publicJwk);
    },
    publicKeyOf: async (kid) => (await known([])).find((key) => key.kid === kid)?.publicJwk ?? null,
    async signer(alg) {
      const signer = signerAmong(await known([alg]), alg);
      if (!signer) throw new Error('no signing key can be decrypted with the token keys');
      return signer;
    },
  };
};

/** All keys, `maxAge` old at most, with one to sign for each algorithm. Callers share a load. */
const makeKnownKeys = (
  { store, keys, now, logger }: KeyRingDependencies,
  canSign: (all: readonly StoredKey[], alg: IdTokenAlg) => boolean,
) => {
  let known: { readonly all: readonly StoredKey[]; readonly until: Instant } | undefined;
  let loading: Promise<readonly StoredKey[]> | undefined;
  const adding = new Map<IdTokenAlg, Promise<readonly StoredKey[]>>();

  const remember = (all: readonly StoredKey[]): readonly StoredKey[] => {
    known = { all, until: now() + maxAge };
    return all;
  };
  const reload = async (): Promise<readonly StoredKey[]> => {
    try {
      return remember((await store.load()).trusted);
    } catch (error) {
      // It is better to answer a code that was just redeemed with outdated keys than not at all.
      if (!known) throw error;
      logger.warn({ err: error }, 'the signing keys cannot be read; those known are used');
      return known.all;
    } finally {
      loading = undefined;
    }
  };
  const addFirst = async (alg: IdTokenAlg): Promise<readonly StoredKey[]> => {
    try {
      const at = now();
      const key = await generateSigningKey(keys, alg, { createdAt: at, currentFrom: at });
      await store.add((all) => (canSign(all, alg) ? null : key));
      return remember((await store.load()).trusted);
    } finally {
      adding.delete(alg);
    }
  };
  const addOnce = (alg: IdTokenAlg): Promise<readonly StoredKey[]> => {
    const added = adding.get(alg) ?? addFirst(alg);
    adding.set(alg, added);
    return added;
  };
  return async (algs: readonly IdTokenAlg[]): Promise<readonly StoredKey[]> => {
    let all = known && now() < known.until ? known.all : await (loading ??= reload());
    for (const alg of algs) if (!canSign(all, alg)) all = await addOnce(alg);
    return all;
  };
};
