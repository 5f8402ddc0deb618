import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { endpointUrlProblem } from '../../domain/signals/endpoint-url.ts';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** The message is for the owner of the endpoint: it says the kind of an address, never the address. */
export class EndpointRefused extends Error {
  override readonly name = 'EndpointRefused';
}

export type EndpointGuardDependencies = {
  readonly isProduction: boolean;
  readonly resolve: ResolveHost;
  /** The URLs under which this service is reached. */
  readonly ownUrls: readonly string[];
  /** The ports at which it listens, where they are known. */
  readonly ownPorts: readonly number[];
};

/** Where signals may be pushed (SG-09): at registration, and at every connection by its addresses. */
export const makeEndpointGuard = ({
  isProduction,
  resolve,
  ownUrls,
  ownPorts,
}: EndpointGuardDependencies) => {
  const own = ownUrls.map((url) => new URL(url));
  const ownHosts = own.map(hostOf);
  const isOwnPort = (port: number) => ownPorts.includes(port) || own.some((url) => portOf(url) === port);

  /** Outside production, a receiver on the developer's own machine, next to this service. */
  const isBesideUs = (host: string, port: number) =>
    !isProduction && loopbackHosts.includes(host) && !isOwnPort(port);

  const ownAddresses = async (): Promise<readonly string[]> => {
    // An address of ours that cannot be resolved now is found by its name, and by the interfaces.
    const resolved = await Promise.all(ownHosts.map((host) => resolve(host).catch(() => [])));
    const interfaces = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
    return [...resolved.flat(), ...interfaces.map(({ address }) => address)].map(plainAddress);
  };

  const hostProblem = async (host: string, port: number, addresses: readonly string[]) => {
    if (isBesideUs(host, port))
      return addresses.every((address) => addressProblem(address) === 'a loopback address')
        ? null
        : notLoopback;
    if (ownHosts.includes(host)) return ours;
    const bad = addresses.map(addressProblem).find((problem) => problem !== null);
    if (bad) return `must have a host whose addresses are all public; it resolves to ${bad}`;
    const mine = await ownAddresses();
    return addresses.some((address) => mine.includes(plainAddress(address))) ? ours : null;
  };

  const addressesOf = async (host: string, port: number): Promise<LookupAddress[]> => {
    const addresses = await resolve(host).catch(() => []);
    if (addresses.length === 0) throw new EndpointRefused(unresolved);
    const problem = await hostProblem(host, port, addresses);
    if (problem) throw new EndpointRefused(problem);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };

  return {
    /** The addresses to connect to, also of a literal. @throws EndpointRefused when any is not allowed or there is none */
    addressesOf,
    /** What is wrong with the URL or with any address of its host, as `must …`, or null. */
    problem: async (text: string) => {
      const spelling = endpointUrlProblem(text, isProduction);
      if (spelling) return spelling;
      const url = new URL(text);
      return addressesOf(hostOf(url), portOf(url)).then(() => null, messageOf);
    },
  };
};

export type EndpointGuard = ReturnType<typeof makeEndpointGuard>;

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '::1'];
const notLoopback = 'must have a host whose addresses are all public';
const ours = 'must not be an address of this service';
const unresolved = 'must have a host that resolves to an address';

export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
/** Of an http or https URL. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'http:' ? 80 : 443));

const messageOf = (error: unknown): string => {
  if (error instanceof EndpointRefused) return error.message;
  throw error;
};

/** Kinds of addresses as a provider reads them; what is missing here is reserved for some protocol. */
const kinds: Readonly<Record<string, string>> = {
  broadcast: 'a multicast',
  carrierGradeNat: 'a private',
  deprecatedSiteLocal: 'a private',
  linkLocal: 'a link-local',
  loopback: 'a loopback',
  multicast: 'a multicast',
  private: 'a private',
  uniqueLocal: 'a private',
  unspecified: 'an unspecified',
};

/**
 * What the clouds answer at these to whoever is inside: credentials. Those outside the ranges of private and link-local
 * addresses (Azure; Alibaba and Oracle have theirs in reserved ranges).
 */
const metadata: readonly string[] = ['168.63.129.16'];

/** All addresses of the internet so far (RFC 4291 §2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why signals are not pushed to an address, in any notation; null for a public one. IPv6 that carries IPv4 (RFC 4291 §2.5.5.2, RFC 6052)
 * is judged by it; other such forms are reserved.
 */
export const addressProblem = (text: string): string | null => {
  if (!ipaddr.isValid(text)) return 'no address';
  const address = carriedOrItself(ipaddr.parse(text));
  const range = address.range();
  if (metadata.includes(address.toString())) return 'a metadata address';
  if (range !== 'unicast') return `${kinds[range] ?? 'a reserved'} address`;
  return address instanceof ipaddr.IPv6 && !address.match(globalUnicast) ? 'a reserved address' : null;
};

/** Two notations of one address are the same text then. */
const plainAddress = (text: string): string =>
  ipaddr.isValid(text) ? carriedOrItself(ipaddr.parse(text)).toString() : text;

const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const carriedOrItself = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 => {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(nat64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
};

/** All addresses of a host name, or a literal address itself; throws where there is none. */
type ResolveHost = (host: string) => Promise<readonly string[]>;

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
