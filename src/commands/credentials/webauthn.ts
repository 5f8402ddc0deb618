import { addressOf, type KnownAccount } from '../../domain/people/account.ts';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Passkey } from '../../domain/people/passkey.ts';
import { isUnreadable } from '../../domain/kernel/unreadable-fields.ts';

export type { AuthenticationResponseJSON, RegistrationResponseJSON };

/** This service as authenticators know it: the host of its address, and the only origin that a page may have. */
export type RelyingParty = { readonly id: string; readonly origin: string };

// Loaded at the first use: it is large, and the command line never needs it.
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** COSE: EdDSA, ES256, RS256. The library would add ML-DSA where Node knows it, so that one instance accepts what another cannot verify. */
const algorithms = [-8, -7, -257];

/** How long a browser waits for the user, in milliseconds. */
const patience = 300_000;

/** What the browser is asked for to make a passkey: one that is found without a name, and that verifies its user. */
export const registrationOptions = async (
  { id }: RelyingParty,
  account: KnownAccount,
  challenge: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> => {
  const { userId, name, passkeys } = account;
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Grantbook',
    rpID: id,
    userID: new TextEncoder().encode(userId),
    userName: addressOf(account) ?? name,
    userDisplayName: name,
    challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
    timeout: patience,
    attestationType: 'none',
    excludeCredentials: passkeys
      .filter(({ credentialId }) => !isUnreadable(credentialId))
      .map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
};

/** What the browser is asked for to sign in. It names no passkey, so it tells nobody who has one. */
export const authenticationOptions = async (
  { id }: RelyingParty,
  challenge: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> => {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: id,
    challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
    timeout: patience,
    allowCredentials: [],
    userVerification: 'required',
  });
};

/** The new passkey, if the answer is right for this challenge; null otherwise. */
export const verifyRegistration = async (
  { id, origin }: RelyingParty,
  response: RegistrationResponseJSON,
  challenge: string,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'synced'> | null> => {
  const { verifyRegistrationResponse } = await library();
  try {
    if (isInFrame(response.response.clientDataJSON)) return null;
    if (!(await isWithoutCertificates(response.response.attestationObject))) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return null;
    const { credential, credentialDeviceType } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      synced: credentialDeviceType === 'multiDevice',
    };
  } catch {
    return null; // the library throws for whatever does not fit
  }
};

/**
 * No attestation is asked for. One with certificates could make the library ask the addresses in them whether they were
 * revoked: addresses that the sender has chosen.
 */
const isWithoutCertificates = async (attestationObject: string): Promise<boolean> => {
  const { decodeAttestationObject } = await helpers();
  const attestation = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
};

/** Our pages are in no frame. The library accepts one where the browser does not say which page is around it. */
const isInFrame = (clientDataJSON: string): boolean => {
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
    readonly crossOrigin?: unknown;
  };
  return crossOrigin !== undefined && crossOrigin !== false;
};

/** The signature counter, at least that at which the passkey was added, if it signed this challenge after verifying its user; else null. */
export const verifyAuthentication = async (
  { id, origin }: RelyingParty,
  response: AuthenticationResponseJSON,
  challenge: string,
  { credentialId, publicKey, counter, synced }: Passkey,
): Promise<{ readonly counter: number } | 'counter-went-back' | null> => {
  const { verifyAuthenticationResponse } = await library();
  try {
    if (isInFrame(response.response.clientDataJSON)) return null;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      // The counter is judged afterwards, by the signature: a forged answer says nothing about it.
      credential: {
        id: credentialId,
        publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')),
        counter: 0,
      },
    });
    const isSynced = authenticationInfo.credentialDeviceType === 'multiDevice';
    if (!verified || isSynced !== synced) return null; // the flag never changes (WebAuthn §7.2)
    const { newCounter } = authenticationInfo;
    return (newCounter > 0 || counter > 0) && newCounter <= counter
      ? 'counter-went-back'
      : { counter: newCounter };
  } catch {
    return null;
  }
};

/**
 * What a sign-in with it says in `amr` (RFC 8176): possession of a key that stays in the device or that may be copied to
 * others, the presence of the user, and two factors, because the authenticator has verified its user.
 */
export const methodsOf = ({ synced }: Pick<Passkey, 'synced'>): readonly string[] => [
  synced ? 'swk' : 'hwk',
  'user',
  'mfa',
];
