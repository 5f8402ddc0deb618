import { createHash, createHmac, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../../common/aes-gcm.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { subkeysFor, type TokenKeys } from '../credentials/token-keys.ts';
import { makeOnce, type Once } from './once.ts';

/** A request under a key: a row of the database. */
export type KeyRow = {
  readonly id: string;
  readonly tokenKeyId: string;
  readonly fingerprint: Uint8Array;
  readonly seed: Uint8Array;
  readonly begunAt: Instant;
  /** Null: not answered yet. */
  readonly response: Uint8Array | null;
};

export type KeyTable = {
  /**
   * Takes a key that is free, has expired, or whose request with one of these fingerprints has had no answer for too long.
   * @returns the row and whether it is the caller's to answer
   */
  readonly claim: (
    row: Omit<KeyRow, 'response'>,
    fingerprints: readonly Uint8Array[],
    until: { readonly now: Instant; readonly running: Instant; readonly expires: Instant },
  ) => Promise<{ readonly row: KeyRow; readonly isMine: boolean }>;
  readonly answer: (id: string, response: Uint8Array) => Promise<void>;
  /** Nothing was made: the key is free. */
  readonly release: (id: string) => Promise<void>;
  /** It is not known what was made: a repeat may begin at once. */
  readonly abandon: (id: string) => Promise<void>;
};

export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: object;
};

export type Begun =
  | {
      readonly kind: 'first';
      /** An earlier request has ended without an answer: what it made may be there. */
      readonly isRepeat: boolean;
      readonly once: Once;
      readonly answered: (response: Response) => Promise<void>;
      readonly refused: () => Promise<void>;
      readonly failed: () => Promise<void>;
    }
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'running' }
  | { readonly kind: 'other-request' };

export type BeginOnce = (request: {
  readonly account: string;
  readonly key: string;
  /** What was asked for: the same under the same key. */
  readonly content: string;
}) => Promise<Begun>;

const hour = 3_600_000;
/** How long a key holds. */
const kept = 24 * hour;
/** After so long without an answer, a repeat takes over: both make the same. */
const patience = 30_000;

/** Does a request once for each key of an account (ADR 88): the row has what the request draws its ids and secrets from, encrypted, and its response. */
export const makeBeginOnce = ({
  table,
  keys,
  now,
}: {
  readonly table: KeyTable;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
}): BeginOnce => {
  const [current, ...earlier] = subkeysFor(keys, 'idempotency');
  const subkeys = [current, ...earlier];
  return async ({ account, key, content }) => {
    const id = createHash('sha256')
      .update(JSON.stringify([account, key]))
      .digest('base64url');
    const fingerprints = subkeys.map((subkey) => createHmac('sha256', subkey.key).update(content).digest());
    const [fingerprint = Buffer.alloc(0)] = fingerprints;
    const begunAt = now();
    const ownSeed = encrypt(current.key, `${id}\nseed`, randomBytes(32));
    const { row, isMine } = await table.claim(
      {
        id,
        tokenKeyId: current.id,
        fingerprint,
        seed: ownSeed,
        begunAt,
      },
      fingerprints,
      { now: begunAt, running: begunAt + patience, expires: begunAt + kept },
    );
    const subkey = subkeys.find((one) => one.id === row.tokenKeyId);
    const isSame = fingerprints.some((one) => one.equals(row.fingerprint));
    if (!subkey || !isSame) return { kind: 'other-request' };
    if (row.response !== null) {
      const response = decrypt(subkey.key, `${id}\nresponse`, row.response);
      return response
        ? { kind: 'answered', response: JSON.parse(response.toString()) as Response }
        : { kind: 'other-request' };
    }
    const seed = decrypt(subkey.key, `${id}\nseed`, row.seed);
    if (!isMine || !seed) return { kind: 'running' };
    return {
      kind: 'first',
      isRepeat: !ownSeed.equals(row.seed),
      once: makeOnce(seed, row.begunAt),
      answered: (response) =>
        table.answer(id, encrypt(subkey.key, `${id}\nresponse`, Buffer.from(JSON.stringify(response)))),
      refused: () => table.release(id),
      failed: () => table.abandon(id),
    };
  };
};
