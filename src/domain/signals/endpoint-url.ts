import { english } from '../../common/words.ts';
import { configurationUrlProblem } from '../addons/redirect-uri.ts';

/**
 * What is wrong with an endpoint's spelling, or null (SG-08, SG-09): as narrow as a redirect URI's, so every parser reads the same host.
 * Its addresses are judged apart. `isProduction`: without it http on loopback is allowed.
 */
export const endpointUrlProblem = (url: string, isProduction: boolean): string | null => {
  if (isProduction && !/^https:/i.test(url)) return english.problems.httpsUrl;
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return english.problems.userInformation;
  if (/^https?:\/\/\[(?!::1\])/i.test(url)) return english.problems.noIpv6Host;
  return configurationUrlProblem(url);
};
