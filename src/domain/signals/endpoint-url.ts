import { configurationUrlProblem } from '../addons/redirect-uri.ts';

/**
 * What is wrong with the spelling of a URL that signals are pushed to, or null (SG-08, SG-09). Whether its host may be
 * connected to is judged apart, on the addresses that it resolves to. The spelling is as narrow as a redirect URI's, so
 * that every parser reads the same host: no user information, an IPv4 address only as four decimal numbers.
 * @param isProduction http on a loopback host is allowed only without it
 */
export const endpointUrlProblem = (url: string, isProduction: boolean): string | null => {
  if (isProduction && !/^https:/i.test(url)) return 'must be an https URL';
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return 'must not have user information (user:password@)';
  if (/^https?:\/\/\[(?!::1\])/i.test(url)) return 'must have a host name instead of an IPv6 address';
  return configurationUrlProblem(url);
};
