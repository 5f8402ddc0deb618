import { english } from '../../common/words.ts';

/**
 * Redirect URIs as text. Nothing here relies on how `URL` parses: a normalising parser and the browser that follows the redirect
 * may read one string as two addresses, so the allowed spelling is narrow and matching compares octets.
 */
const maxLength = 2048;

/** RFC 3986 without `#` (fragment) and `*` (wildcard); white space, `\` and non-ASCII are not URI characters. */
const uriCharacters = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()+,;=]|%[0-9A-Fa-f]{2})+$/;
const schemePart = /^([a-z][a-z0-9+.-]*):(.*)$/;
/** Browsers read a host that ends in a number as an IPv4 address, in many spellings; only the plain one is allowed. */
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const hostName = '(?:[A-Za-z0-9-]+\\.)*[A-Za-z][A-Za-z0-9-]*';
const host = `${octet}(?:\\.${octet}){3}|${hostName}|\\[::1\\]`;
/** `//host`, `//host:port`, then nothing, a path or a query: `user@` is not possible. */
const authorityPart = new RegExp(`^//(${host})(?::([1-9]\\d{0,4}))?(?=[/?]|$)`);
const hostWithPort = new RegExp(`^//(?:${host}):`);
/** Browsers resolve dot segments, in both spellings, so the address would not be the one that was registered. */
const dotSegment = /\/(?:\.|%2e){1,2}(?=[/?]|$)/i;
const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];
const maxPort = 65_535;

/** What is wrong with a redirect URI (AD-01, AZ-07): `https`, loopback `http`, and private-use schemes with a dot (RFC 8252 §7.1). */
export const redirectUriProblem = (uri: string): string | null => {
  if (uri.length > maxLength) return english.problems.tooLong(maxLength);
  if (uri.includes('#')) return english.problems.fragment;
  if (uri.includes('*')) return english.problems.wildcard;
  if (!uriCharacters.test(uri)) return english.problems.asciiOfUri;
  const [, scheme, rest] = schemePart.exec(uri) ?? [];
  if (scheme === undefined || rest === undefined) return english.problems.scheme;
  if (dotSegment.test(rest.replace(/\?.*/, ''))) return english.problems.dotSegment;
  if (scheme === 'https') return webProblem(rest);
  if (scheme === 'http') return webProblem(rest) ?? loopbackProblem(rest);
  return scheme.includes('.') ? privateUseProblem(rest) : english.problems.schemeOfApp;
};

const webProblem = (rest: string): string | null => {
  const authority = authorityPart.exec(rest);
  if (/^\/\/\[(?!::1\])/.test(rest)) return english.problems.ipv6;
  if (/^\/\/[^/?]*@/.test(rest)) return english.problems.userAndPassword;
  if (!authority && !hostWithPort.test(rest)) return english.problems.host;
  return !authority || Number(authority[2] ?? 1) > maxPort ? english.problems.port : null;
};

const loopbackProblem = (rest: string): string | null =>
  loopbackHosts.includes(authorityPart.exec(rest)?.[1] ?? '') ? null : english.problems.httpsUnlessLoopback;

const privateUseProblem = (rest: string): string | null => {
  if (rest.startsWith('//')) return webProblem(rest);
  return rest.startsWith('/') ? null : english.problems.path;
};

/** What a response adds to the query, where nothing may be twice (RFC 6749 §3.1; RFC 9207; OIDC RP-Initiated Logout §3). */
const responseParameters = {
  authorization: ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'],
  'sign-out': ['state'],
};

/** Refuses a redirect URI whose query has a parameter of the response; null if it has none. */
export const responseParameterProblem = (
  uri: string,
  response: keyof typeof responseParameters = 'authorization',
): string | null => {
  const query = new URLSearchParams(/\?(.*)$/s.exec(uri)?.[1] ?? '');
  const added = responseParameters[response];
  const taken = added.find((name) => query.has(name));
  return taken === undefined ? null : english.problems.parameter(taken, added.join(', '));
};

/**
 * What is wrong with a configuration URL, or null. An administrator's browser is redirected there, so app schemes are
 * not allowed, and the host has to be one to a browser, too: `xn--` in front of what decodes to nothing is none.
 */
export const configurationUrlProblem = (url: string): string | null =>
  (/^(?!https?:)[a-z][a-z0-9+.-]*:/.test(url) ? english.problems.httpsOrLoopback : null) ??
  redirectUriProblem(url) ??
  (URL.canParse(url) ? null : english.problems.validHost);

/**
 * Whether a redirect URI, once form-decoded, is a registered one: octet for octet (AZ-05), except that a native app on
 * a literal loopback address may listen on any port (AZ-06, RFC 8252 §7.3).
 */
export const isRegisteredRedirectUri = (registered: readonly string[], presented: string): boolean => {
  if (registered.includes(presented)) return true;
  const withoutPort = anyPort(presented);
  return withoutPort !== null && registered.some((uri) => anyPort(uri) === withoutPort);
};

const literalLoopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/s;

/** The URI without its port, or null where the port matters. */
const anyPort = (uri: string): string | null => {
  const [, host, port, rest] = literalLoopback.exec(uri) ?? [];
  return host === undefined || Number(port ?? 1) > maxPort ? null : `${host}${rest ?? ''}`;
};

/**
 * Whether the redirect leads to a native app (RFC 8252 §8.6): a private-use scheme, or a loopback port that was chosen
 * at run time. Any program on the machine could receive it, so its approvals are never remembered (AZ-38).
 */
export const isNativeRedirect = (registered: readonly string[], presented: string): boolean =>
  !/^https?:\/\//.test(presented) || !registered.includes(presented);
