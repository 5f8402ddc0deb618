import { createHash, createHmac, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../../common/aes-gcm.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { subkeysFor, type Subkey, type TokenKeys } from '../credentials/token-keys.ts';
import { makeOnce, type Once } from './once.ts';

/** What takes effect once: a row of the database. */
export type OnceRow = {
  readonly id: string;
  /** Empty: what is kept is encrypted under what a form contains. */
  readonly tokenKeyId: string;
  readonly fingerprint: Uint8Array;
  /** With the key: of what a repeat draws from. */
  readonly salt: Uint8Array;
  readonly begunAt: Instant;
  /** Null: not answered yet. Empty: the answer is not kept, or not any more. */
  readonly response: Uint8Array | null;
};

export type OnceTable = {
  /**
   * Takes what is free, has expired, or whose request with one of these fingerprints has had no answer until `runningUntil`.
   * @returns the row and whether it is the caller's to answer
   */
  readonly claim: (
    row: Omit<OnceRow, 'response'> & { readonly runningUntil: Instant | null; readonly expiresAt: Instant },
    fingerprints: readonly Uint8Array[],
  ) => Promise<OnceRow & { readonly isMine: boolean }>;
  readonly answer: (id: string, response: Uint8Array, keptUntil: Instant) => Promise<void>;
  /** Nothing was made: it is free. */
  readonly release: (id: string) => Promise<void>;
  /** It is not known what was made: a repeat may begin at once. */
  readonly abandon: (id: string) => Promise<void>;
};

/** Only the same request, with the same `sent`, receives the first answer. */
export type OneTime = { readonly sent: string } & (
  | { readonly account: string; readonly key: string }
  /** `secret` is known only to who may receive the answer again: that is encrypted under a key made of it. */
  | { readonly id: string; readonly secret: string; readonly expiresAt: Instant }
);

export type First<Answer> = {
  readonly kind: 'first';
  /** An earlier request under this key has ended without an answer: what it made may be there. */
  readonly isRepeat: boolean;
  /** Under a key: what the request and its repeats draw from. */
  readonly once: Once;
  /** @param answer null if it is not to be kept */
  readonly answered: (answer: Answer | null) => Promise<void>;
  readonly refused: () => Promise<void>;
  readonly failed: () => Promise<void>;
};

export type Begun<Answer> =
  | First<Answer>
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'running'; readonly isSame: boolean }
  /** Also the same one, when its answer cannot be given (any more). */
  | { readonly kind: 'other-request' };

export type BeginOnce = <Answer extends object>(asked: OneTime) => Promise<Begun<Answer>>;

const minute = 60_000;
const day = 24 * 60 * minute;
/** After so long without an answer, a repeat under a key takes over: both make the same. */
const patience = minute / 2;

/**
 * Does once what a form (ADR 74) or a request under a key of an account (ADR 88) asks for: the first request claims a row, and leaves its
 * answer there. One under a key can be repeated, as it draws its ids and secrets from the row; a form cannot.
 */
export const makeBeginOnce = ({
  table,
  keys: tokenKeys,
  now,
}: {
  readonly table: OnceTable;
  readonly keys: TokenKeys;
  readonly now: () => Instant;
}): BeginOnce => {
  const subkeys = subkeysFor(tokenKeys, 'idempotency');
  const termsOf = (asked: OneTime, begunAt: Instant): Terms => {
    if ('secret' in asked)
      return { ...ofForms, ...asked, keys: [{ id: '', key: Buffer.from(asked.secret) }] };
    const digest = createHash('sha256').update(JSON.stringify([asked.account, asked.key]));
    return { ...underKeys, id: `key ${digest.digest('base64url')}`, keys: subkeys, expiresAt: begunAt + day };
  };
  return async (asked) => {
    const begunAt = now();
    const { id, keys, expiresAt, kept, isRepeatable } = termsOf(asked, begunAt);
    const prints = keys.map(({ key }) => macOf(key, `sent\n${asked.sent}`));
    const [fingerprint = Buffer.alloc(0)] = prints;
    const salt = isRepeatable ? randomBytes(16) : Buffer.alloc(0);
    const runningUntil = isRepeatable ? begunAt + patience : null;
    const own = { id, expiresAt, tokenKeyId: keys[0].id, fingerprint, salt, begunAt, runningUntil };
    const row = await table.claim(own, prints);
    const key = keys.find((one) => one.id === row.tokenKeyId)?.key;
    const isSame = key !== undefined && prints.some((one) => one.equals(row.fingerprint));
    if (row.response) {
      const plain = isSame ? decrypt(macOf(key, 'response'), id, row.response) : null;
      return plain ? { kind: 'answered', answer: JSON.parse(plain.toString()) } : { kind: 'other-request' };
    }
    if (!row.isMine || !key) return { kind: 'running', isSame };
    const encrypted = (answer: object) =>
      encrypt(macOf(key, 'response'), id, Buffer.from(JSON.stringify(answer)));
    return {
      kind: 'first',
      isRepeat: !salt.equals(row.salt),
      once: makeOnce(key, row.salt, row.begunAt),
      answered: (answer) => table.answer(id, answer ? encrypted(answer) : Buffer.alloc(0), now() + kept),
      refused: () => table.release(id),
      failed: () => table.abandon(id),
    };
  };
};

type Terms = {
  readonly id: string;
  /** The current one first. */
  readonly keys: readonly [Subkey, ...Subkey[]];
  readonly expiresAt: Instant;
  readonly kept: number;
  readonly isRepeatable: boolean;
};
const ofForms = { kept: 10 * minute, isRepeatable: false };
const underKeys = { kept: day, isRepeatable: true };

const macOf = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();
