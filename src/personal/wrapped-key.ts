import { randomBytes } from 'node:crypto';
import type { PersonalSubject } from '../domain/personal-data.ts';
import { decrypt, encrypt } from '../common/aes-gcm.ts';

/** The keys that wrap those of persons: 32 bytes each, by id. New keys are wrapped under `current`. */
export type MasterKeys = { readonly current: string; readonly keys: ReadonlyMap<string, Uint8Array> };

/** The subject of no person: of the key of the digests in stream names of claims on e-mail addresses. */
export const emailDigests = 'emails';

export type KeySubject = PersonalSubject | typeof emailDigests;

/** A key as it is stored. `wrapped` and `masterKeyId` are null once it was deleted. */
export type WrappedKey = {
  readonly keyId: string;
  readonly subject: string;
  readonly masterKeyId: string | null;
  readonly wrapped: Uint8Array | null;
  /** Restored after the person had got another key: it decrypts what it encrypted, and encrypts nothing. */
  readonly earlier?: boolean;
};

/** A key exists, but not the one it is wrapped under: it is not gone. The message names the setting. */
export class MasterKeyMissing extends Error {
  override readonly name = 'MasterKeyMissing';
}

/** A new random key, wrapped. */
export const makeWrappedKey = (masters: MasterKeys, subject: string): WrappedKey =>
  wrapKey(masters, { keyId: randomBytes(16).toString('base64url'), subject }, randomBytes(32));

export const wrapKey = (
  { current, keys }: MasterKeys,
  { keyId, subject }: Pick<WrappedKey, 'keyId' | 'subject'>,
  key: Uint8Array,
): WrappedKey => {
  const master = keys.get(current);
  if (!master) throw new MasterKeyMissing(`PERSONAL_DATA_KEYS has no key ${current}`);
  return { keyId, subject, masterKeyId: current, wrapped: encrypt(master, contextOf(keyId, subject), key) };
};

/** The key; null when deleted. @throws MasterKeyMissing when its master key is not among ours, or another has its id */
export const unwrapKey = (
  { keys }: MasterKeys,
  { keyId, subject, masterKeyId, wrapped }: WrappedKey,
): Buffer | null => {
  if (wrapped === null || masterKeyId === null) return null;
  const master = keys.get(masterKeyId);
  if (!master)
    throw new MasterKeyMissing(
      `PERSONAL_DATA_KEYS has no key ${masterKeyId}, which personal data is encrypted under`,
    );
  const key = decrypt(master, contextOf(keyId, subject), wrapped);
  if (!key)
    throw new MasterKeyMissing(
      `the key ${masterKeyId} of PERSONAL_DATA_KEYS is not the one that personal data is encrypted under`,
    );
  return key;
};

const contextOf = (keyId: string, subject: string): string => `${keyId}\n${subject}`;
