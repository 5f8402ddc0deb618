import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Nonce, ciphertext, tag (AES-256-GCM); `context` is authenticated with it, and has to be the same to open it. */
export const seal = (key: Uint8Array, context: string, plain: Uint8Array): Buffer => {
  const nonce = randomBytes(nonceLength);
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
};

/** Null when it is not what was sealed under this key in this context. */
export const open = (key: Uint8Array, context: string, sealed: Uint8Array): Buffer | null => {
  const end = sealed.length - tagLength;
  if (end < nonceLength) return null;
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceLength), { authTagLength: tagLength })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([opening.update(sealed.subarray(nonceLength, end)), opening.final()]);
  } catch {
    return null;
  }
};
