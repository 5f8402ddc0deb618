import { createHmac, timingSafeEqual } from 'node:crypto';

export type SigningPurpose = 'interaction' | 'receipt' | 'sign-out' | 'passkey';

/** The first part of all that is signed. What begins with another is not ours. */
export const signedFormat = '1';

/** @param keys the first one signs; signatures of the others stay valid, because instances change keys one by one */
export const makeValueSigner = (keys: readonly [Uint8Array, ...Uint8Array[]]) => {
  const macWith = (key: Uint8Array, purpose: string, text: string) =>
    createHmac('sha256', key).update(`grantbook ${purpose}\n${text}`).digest();
  const mac = (purpose: string, text: string) => macWith(keys[0], purpose, text);
  const matches = (purpose: string, text: string, sent: string) => {
    const given = Buffer.from(sent, 'base64url');
    return keys
      .map((key) => macWith(key, purpose, text))
      .some((expected) => given.length === expected.length && timingSafeEqual(given, expected));
  };
  return {
    /** A signature for one purpose is not valid for another. */
    sign: (value: object, purpose: SigningPurpose = 'interaction') => {
      const text = `${signedFormat}.${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
      return `${text}.${mac(purpose, text).toString('base64url')}`;
    },
    verify: (signed: string, purpose: SigningPurpose = 'interaction') => {
      const [format = '', body = '', signature = '', ...more] = signed.split('.');
      if (format !== signedFormat || more.length > 0) return null;
      if (!matches(purpose, `${format}.${body}`, signature)) return null;
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown;
    },
    /** A short proof for `text`, e.g. the CSRF token of a session. */
    proofOf: (text: string) => mac('form', text).toString('base64url'),
    isProofOf: (text: string, proof: string) => matches('form', text, proof),
  };
};

export type ValueSigner = ReturnType<typeof makeValueSigner>;
