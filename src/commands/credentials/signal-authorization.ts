import { decrypt, encrypt } from '../../common/aes-gcm.ts';
import type { EncryptedHeader } from '../../domain/signals/signal-stream.ts';
import { subkeyFor, type TokenKeys } from './token-keys.ts';

const purpose = 'signal-authorization';

/** The `Authorization` header of a stream's pushes, encrypted under the current token key. */
export const encryptAuthorization = (keys: TokenKeys, streamId: string, header: string): EncryptedHeader => {
  const subkey = subkeyFor(keys, keys.current, purpose);
  if (!subkey) throw new Error(`there is no token key ${keys.current}`);
  const encrypted = encrypt(subkey, streamId, Buffer.from(header)).toString('base64url');
  return { tokenKeyId: keys.current, encrypted };
};

/** Null when its token key is no longer among ours, or when it was encrypted for another stream. */
export const decryptAuthorization = (
  keys: TokenKeys,
  streamId: string,
  { tokenKeyId, encrypted }: EncryptedHeader,
): string | null => {
  const subkey = subkeyFor(keys, tokenKeyId, purpose);
  return (subkey && decrypt(subkey, streamId, Buffer.from(encrypted, 'base64url')))?.toString() ?? null;
};
