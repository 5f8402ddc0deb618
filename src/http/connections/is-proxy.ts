import { BlockList, isIPv6 } from 'node:net';

/** Whether an address is one of TRUSTED_PROXIES (addresses, and networks in CIDR notation). */
export const makeIsProxy = (trustedProxies: readonly string[]): ((address?: string) => boolean) => {
  const list = new BlockList();
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address = '') => address !== '' && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
};
