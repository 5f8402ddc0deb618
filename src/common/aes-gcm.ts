import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Nonce, ciphertext, tag (AES-256-GCM); `context` is authenticated with it, and has to be the same to decrypt. */
export const encrypt = (key: Uint8Array | KeyObject, context: string, plain: Uint8Array): Buffer => {
  const nonce = randomBytes(nonceLength);
  const encrypting = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, encrypting.update(plain), encrypting.final(), encrypting.getAuthTag()]);
};

/** Null when it was not encrypted under this key in this context. */
export const decrypt = (
  key: Uint8Array | KeyObject,
  context: string,
  encrypted: Uint8Array,
): Buffer | null => {
  const end = encrypted.length - tagLength;
  if (end < nonceLength) return null;
  const decrypting = createDecipheriv(cipher, key, encrypted.subarray(0, nonceLength), {
    authTagLength: tagLength,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(encrypted.subarray(end));
  try {
    return Buffer.concat([decrypting.update(encrypted.subarray(nonceLength, end)), decrypting.final()]);
  } catch {
    return null;
  }
};
