import { breakGlass } from '../domain/kernel/actor.ts';
import type { TokenKeys } from '../commands/credentials/token-keys.ts';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { recordedKey } from '../domain/log/signing-key-history.ts';
import { generateSigningKey } from './encrypted-key.ts';
import type { KeyStore, LoadedKeys } from './key-store.ts';
import { keysFor, stateOf, supersededAt, type KeyState, type StoredKey } from './signing-key.ts';
import type { UntrustedRow } from './trusted-rows.ts';

export type ListedKey = {
  readonly kid: string;
  readonly alg: IdTokenAlg;
  readonly state: KeyState;
  readonly createdAt: Instant;
  readonly currentFrom: Instant;
  /** When it was first in the JWKS, according to the log; null where the log does not say so yet. */
  readonly publishedAt: Instant | null;
  /** When another key replaced it; null for a key that still signs, or will. */
  readonly retiredAt: Instant | null;
  readonly publishedUntil: Instant | null;
};

/** What operators do with the signing keys. Running instances notice changes by themselves. */
export type SigningKeys = {
  /** Ordered from the oldest. */
  list(): Promise<readonly ListedKey[]>;
  untrusted(): Promise<readonly UntrustedRow[]>;
  /** Publishes a key that signs once every client can know it; refused while another of its algorithm waits. */
  rotate(
    alg: IdTokenAlg,
  ): Promise<
    | { readonly ok: true; readonly key: ListedKey }
    | { readonly ok: false; readonly refusal: 'rotation-under-way'; readonly waiting: ListedKey | undefined }
  >;
};

/** Published so long before it signs: a client may keep the old set five minutes, an instance half a minute. */
const lead = 600_000;

export const makeSigningKeys = (
  store: Pick<KeyStore, 'load' | 'add'>,
  keys: TokenKeys,
  now: () => Instant,
): SigningKeys => ({
  list: async () => listed(await store.load(), now()),
  untrusted: async () => (await store.load()).untrusted,
  async rotate(alg) {
    const at = now();
    const made = await generateSigningKey(keys, alg, { createdAt: at, currentFrom: at });
    const make = (all: readonly StoredKey[]) => {
      const present = keysFor(all, alg);
      if (isUnderWay(present, at)) return null;
      return { ...made, currentFrom: present.length === 0 ? at : at + lead };
    };
    await store.add(make, { actor: breakGlass });
    const all = listed(await store.load(), at);
    const key = all.find(({ kid }) => kid === made.kid);
    if (key) return { ok: true, key };
    const waiting = all.find((other) => other.alg === alg && other.state === 'published');
    return { ok: false, refusal: 'rotation-under-way', waiting };
  },
});

const isUnderWay = (present: readonly StoredKey[], now: Instant): boolean =>
  present.some((key) => stateOf(key, present, now) === 'published');

const listed = ({ trusted, history }: LoadedKeys, now: Instant): readonly ListedKey[] =>
  trusted.map((key) => {
    const superseded = supersededAt(key, trusted, now);
    return {
      kid: key.kid,
      alg: key.publicJwk.alg,
      state: stateOf(key, trusted, now),
      createdAt: key.createdAt,
      currentFrom: key.currentFrom,
      publishedAt: recordedKey(history, key.kid)?.publishedAt ?? null,
      retiredAt: superseded?.at ?? null,
      publishedUntil: superseded?.publishedUntil ?? null,
    };
  });
