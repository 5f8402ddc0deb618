import { z } from 'zod';
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
} from '../../commands/credentials/webauthn.ts';
import { jsonIn } from '../../common/json-in.ts';

const base64url = z.string().regex(/^[\w-]*$/);
const id = base64url.min(1).max(1_364); // 1023 bytes (WebAuthn §4)

const credential = { id, rawId: id, type: z.literal('public-key') };

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.max(88).nullish(), // 64 bytes
  }),
});

const attestation = z.object({
  ...credential,
  response: z.object({ clientDataJSON: base64url, attestationObject: base64url }),
});

/** The browser's answer to a sign-in; null for anything of another shape. What is not needed is left out. */
export const parseAssertion = (text: string): AuthenticationResponseJSON | null => {
  const { data } = assertion.safeParse(jsonIn(text));
  if (!data) return null;
  const { userHandle, ...response } = data.response;
  return {
    ...data,
    response: { ...response, ...(typeof userHandle === 'string' && { userHandle }) },
    clientExtensionResults: {},
  };
};

/** The browser's answer when it has made a passkey; null for anything of another shape. */
export const parseAttestation = (text: string): RegistrationResponseJSON | null => {
  const { data } = attestation.safeParse(jsonIn(text));
  return data ? { ...data, clientExtensionResults: {} } : null;
};
