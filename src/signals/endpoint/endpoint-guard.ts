import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { endpointUrlProblem } from '../../domain/signals/endpoint-url.ts';
import { addressProblem, plainAddress } from './public-address.ts';
import type { ResolveHost } from './resolve-host.ts';

/**
 * Decides which endpoints signals may be pushed to (SG-09): at registration, and at every connection on the addresses
 * that are then connected to.
 */
export type EndpointGuard = {
  /** What is wrong with the URL or with any address of its host, as `must …`, or null. */
  readonly problem: (url: string) => Promise<string | null>;
  /**
   * The addresses to connect to. A literal address is judged, too.
   * @throws EndpointRefused when any is not allowed, or the host has none
   */
  readonly addressesOf: (host: string, port: number) => Promise<LookupAddress[]>;
};

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

export const makeEndpointGuard = ({
  isProduction,
  resolve,
  ownUrls,
  ownPorts,
}: EndpointGuardDependencies): EndpointGuard => {
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
    addressesOf,
    problem: async (text) => {
      const spelling = endpointUrlProblem(text, isProduction);
      if (spelling) return spelling;
      const url = new URL(text);
      return addressesOf(hostOf(url), portOf(url)).then(() => null, messageOf);
    },
  };
};

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '::1'];
const notLoopback = 'must have a host whose addresses are all public';
const ours = 'must not be an address of this service';
const unresolved = 'must have a host that resolves to an address';

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
/** Of an http or https URL. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'http:' ? 80 : 443));

const messageOf = (error: unknown): string => {
  if (error instanceof EndpointRefused) return error.message;
  throw error;
};
