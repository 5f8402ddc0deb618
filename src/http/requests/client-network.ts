import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { NetworkKind } from '../../domain/sign-in/sign-in-limits.ts';

/** The network by which attempts count: an IPv4 address, or an IPv6 /64, as a trusted proxy reports it. */
export const clientNetwork = (request: FastifyRequest): string =>
  networkOf(request.ip) ?? networkOf(request.socket.remoteAddress) ?? 'unknown';

/** The address itself and the wider networks around it by which failed sign-ins are counted (DO-04). */
export const clientNetworks = (request: FastifyRequest): Partial<Record<NetworkKind, string>> =>
  networksAround(request.ip) ?? networksAround(request.socket.remoteAddress) ?? {};

/** Null for text that is no address. */
export const networksAround = (text = ''): Partial<Record<NetworkKind, string>> | null => {
  const network = networkOf(text);
  if (network === null) return null;
  if (isIPv4(network)) return { 'ipv4-24': network.replace(/\d+$/, '0') };
  const groups = groupsOf(withoutPort(text));
  const spelled = (groupsOfNetwork: readonly number[]) =>
    groupsOfNetwork.map((group) => group.toString(16)).join(':');
  return {
    'ipv6-address': spelled(groups),
    'ipv6-56': spelled([...groups.slice(0, 3), (groups[3] ?? 0) & 0xff00]),
    'ipv6-48': spelled(groups.slice(0, 3)),
  };
};

/** Null for text that is no address. Some proxies add the port. */
export const networkOf = (text = ''): string | null => {
  const address = withoutPort(text);
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return null;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
};

/** The network that is stored for reads: /24 of IPv4, /48 of IPv6; null for text that is no address. */
export const readNetworkOf = (text: string): string | null => {
  const networks = networksAround(text);
  if (networks === null) return null;
  const { 'ipv4-24': ipv4, 'ipv6-48': ipv6 } = networks;
  return ipv4 === undefined ? `${ipv6}::/48` : `${ipv4}/24`;
};

/** Some proxies add the port to an address. */
export const withoutPort = (text: string): string => {
  if (isIP(text)) return text;
  return /^\[([\d:a-f.]+)\](?::\d{1,5})?$/i.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
};

const groupsOf = (address: string): readonly number[] => {
  const hexadecimal = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
      return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    });
  const [head = [], tail = []] = hexadecimal
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
};
