import type { TokenKeys } from '../commands/token-keys.ts';
import type { IdTokenAlg } from '../domain/addon.ts';
import type { Instant } from '../domain/decision.ts';
import { generateSigningKey } from './generate-key.ts';
import type { KeyTable } from './key-table.ts';
import { keysFor, stateOf, type KeyState, type StoredKey } from './signing-key.ts';

export type ListedKey = {
  readonly kid: string;
  readonly alg: IdTokenAlg;
  readonly state: KeyState;
  readonly createdAt: Instant;
  readonly currentFrom: Instant;
};

/** What operators do with the signing keys. The instances that run find out by themselves. */
export type SigningKeys = {
  /** The oldest first. */
  list(): Promise<readonly ListedKey[]>;
  /** Publishes a key that takes over once every client can know it; not while another one of its algorithm waits for that. */
  rotate(
    alg: IdTokenAlg,
  ): Promise<
    | { readonly ok: true; readonly key: ListedKey }
    | { readonly ok: false; readonly refusal: 'rotation-under-way'; readonly waiting: ListedKey | undefined }
  >;
};

/** How long a key is published before it signs: a client may keep the old set for five minutes, an instance for half of one. */
const lead = 600_000;

export const makeSigningKeys = (table: KeyTable, keys: TokenKeys, now: () => Instant): SigningKeys => {
  const rotate: SigningKeys['rotate'] = async (alg) => {
    const at = now();
    const isFirst = keysFor(await table.all(), alg).length === 0;
    const key = await generateSigningKey(keys, alg, {
      createdAt: at,
      currentFrom: isFirst ? at : at + lead,
    });
    const isNeeded = (all: readonly StoredKey[]) => {
      const present = keysFor(all, alg);
      return isFirst ? present.length === 0 : !isUnderWay(present, at);
    };
    const all = listed(await table.add(key, isNeeded), at);
    const added = all.find(({ kid }) => kid === key.kid);
    if (added) return { ok: true, key: added };
    if (isFirst) return rotate(alg); // another instance made the first one meanwhile
    const waiting = all.find((other) => other.alg === alg && other.state === 'published');
    return { ok: false, refusal: 'rotation-under-way', waiting };
  };
  return { list: async () => listed(await table.all(), now()), rotate };
};

const isUnderWay = (present: readonly StoredKey[], now: Instant): boolean =>
  present.some((key) => stateOf(key, present, now) === 'published');

const listed = (all: readonly StoredKey[], now: Instant): readonly ListedKey[] =>
  all.map((key) => ({
    kid: key.kid,
    alg: key.publicJwk.alg,
    state: stateOf(key, all, now),
    createdAt: key.createdAt,
    currentFrom: key.currentFrom,
  }));
