import { configurationUrlProblem } from '../addons/redirect-uri.ts';

/**
 * What is wrong with an endpoint's spelling, or null (SG-08, SG-09): as narrow as a redirect URI's, so every parser reads the same host.
 * Its addresses are judged apart. `isProduction`: without it http on loopback is allowed.
 */
export const endpointUrlProblem = (url: string, isProduction: boolean): string | null => {
  if (isProduction && !/^https:/i.test(url)) return 'must be an https URL';
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return 'must not have user information (user:password@)';
  if (/^https?:\/\/\[(?!::1\])/i.test(url)) return 'must have a host name instead of an IPv6 address';
  return configurationUrlProblem(url);
};
