import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Where a request comes from, as far as attempts are counted: an IPv4 address, or the /64 of an IPv6 address, within
 * which one customer has 2^64 to choose from. Behind a trusted proxy it is what that proxy says.
 */
export const clientNetwork = (request: FastifyRequest): string =>
  networkOf(request.ip) ?? networkOf(request.socket.remoteAddress) ?? 'unknown';

/** Null for what is no address. Some proxies add the port. */
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

const withoutPort = (text: string): string => {
  if (isIP(text)) return text;
  return /^\[([\d:a-f.]+)\](?::\d{1,5})?$/i.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
};

/** The eight groups of a valid IPv6 address. */
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
