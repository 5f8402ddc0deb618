import { errors } from './undici.ts';
import { EndpointRefused } from '../endpoint/endpoint-guard.ts';

const closed = 'closed the connection before its answer was complete';
const unreachable = 'cannot be reached';

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  ETIMEDOUT: 'did not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_HEADERS_OVERFLOW: 'answered with headers that are too large',
  CERT_HAS_EXPIRED: 'has a TLS certificate that has expired',
  CERT_NOT_YET_VALID: 'has a TLS certificate that is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a TLS certificate that is signed by itself',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a TLS certificate for another host',
};

/**
 * Why there was no answer, in one line for the owner of the endpoint: no text of the error itself, which may name
 * addresses.
 * @param timeoutMs how long the push was allowed to take, when it took longer
 */
export const describeFailure = (error: unknown, timeoutMs: number | null): string => {
  if (error instanceof EndpointRefused) return `was not connected to: endpoint_url ${error.message}`;
  if (timeoutMs !== null) return `gave no whole answer within ${timeoutMs / 1000} seconds`;
  const code = codeOf(error);
  const known = failures[code];
  if (known) return known;
  if (/CERT|LEAF_SIGNATURE|ISSUER/.test(code))
    return `has a TLS certificate that cannot be verified (${code})`;
  if (/SSL|TLS|EPROTO/.test(code)) return `failed to set up TLS (${code})`;
  if (error instanceof errors.HTTPParserError) return 'did not answer with valid HTTP';
  return code === '' ? 'could not be pushed to' : `could not be pushed to (${code})`;
};

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : '';
};
