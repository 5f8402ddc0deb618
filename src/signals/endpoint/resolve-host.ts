import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of a host name, or a literal address itself; throws where there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/**
 * Asks the configured name servers, for at most a few seconds. Not `dns.lookup`, which holds a thread of a pool of four:
 * the slow name servers of some receivers would delay everything else that uses it.
 * @throws when a host has no address, or when the name servers do not answer
 */
export const resolveHost: ResolveHost = async (host) => {
  if (isIP(host) !== 0) return [host];
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  if (addresses.length > 0) return addresses;
  throw four.status === 'rejected' ? four.reason : new Error('no address');
};
