import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of a host name, or a literal address itself; throws where there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** By the name servers, in a few seconds. `dns.lookup` would hold one of four threads. @throws without an address, or an answer */
export const resolveHost: ResolveHost = async (host) => {
  if (isIP(host) !== 0) return [host];
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  if (addresses.length > 0) return addresses;
  throw four.status === 'rejected' ? four.reason : new Error('no address');
};
