import ipaddr from 'ipaddr.js';

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
 * Why signals are not pushed to this address, as `a private address`, or null for a public one. An IPv6 address that
 * carries an IPv4 address (mapped, RFC 4291 §2.5.5.2; NAT64 of the well-known prefix, RFC 6052) is judged by that one;
 * other forms that carry one (compatible, translated, 6to4, Teredo) are refused as reserved.
 * @param text in any notation that a system's resolver takes
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
export const plainAddress = (text: string): string =>
  ipaddr.isValid(text) ? carriedOrItself(ipaddr.parse(text)).toString() : text;

const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const carriedOrItself = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 => {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(nat64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
};
