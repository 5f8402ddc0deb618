import { isIP } from 'node:net';
import type { RelyingParty } from '../../commands/credentials/webauthn.ts';

const isLocal = (hostname: string): boolean => hostname === 'localhost' || hostname.endsWith('.localhost');

/** This service as authenticators know it; null where browsers allow none: at IP addresses, without TLS but on localhost. */
export const relyingPartyOf = (baseUrl: string): RelyingParty | null => {
  const { hostname, origin, protocol } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  return protocol === 'https:' || isLocal(hostname) ? { id: hostname, origin } : null;
};
