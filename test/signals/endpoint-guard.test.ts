import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { makeEndpointGuard, addressProblem } from '../../src/signals/endpoint/endpoint-guard.ts';

const publicAddress = '93.184.215.14';

const guardWith = (hosts: Readonly<Record<string, readonly string[]>>, isProduction = true) =>
  makeEndpointGuard({
    isProduction,
    resolve: (host) => {
      const found = hosts[host] ?? (/^[\d.]+$|:/.test(host) ? [host] : null);
      return found ? Promise.resolve(found) : Promise.reject(new Error('ENOTFOUND'));
    },
    ownUrls: ['https://auth.example:8443'],
    ownPorts: [9000],
  });

describe('SG-09: an address that signals are not pushed to', () => {
  test.each([
    [
      'a private',
      ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.100.100.200'],
    ],
    ['a private', ['fc00::1', 'fd00:ec2::254', 'fec0::1']],
    ['a loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['a link-local', ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0']],
    ['a metadata', ['168.63.129.16']],
    ['a multicast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
    ['an unspecified', ['0.0.0.0', '0.1.2.3', '::']],
    ['a reserved', ['240.0.0.1', '192.0.0.192', '192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1']],
    ['a reserved', ['192.88.99.1', '2001:db8::1', '3fff::1', '100::1', '2001:2::1', '5f00::1', '4000::1']],
    ['a reserved', ['2002:7f00:1::', '2002:5db8:d70e::', '2001:0:7f00:1::1', '64:ff9b:1::1', '::7f00:2']],
    ['a loopback', ['2130706433', '0177.0.0.1', '0x7f.1', '127.1', '0x7f000001', '017700000001']],
    ['a loopback', ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::127.0.0.1']],
    ['a private', ['::ffff:10.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::c0a8:101']],
    ['a link-local', ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '0xa9fea9fe', '2852039166']],
    ['a metadata', ['::ffff:168.63.129.16']],
    ['a reserved', ['::ffff:0:127.0.0.1', '::ffff:192.0.2.1']],
  ])('%s address: %j', (kind, addresses) => {
    expect(addresses.map(addressProblem)).toEqual(addresses.map(() => `${kind} address`));
  });

  test.each([
    publicAddress,
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '64:ff9b::5db8:d70e',
    '::ffff:1.1.1.1',
  ])('%s is public', (address) => {
    expect(addressProblem(address)).toBeNull();
  });

  test('what is no address is no public one', () => {
    expect(['', 'localhost', '1.2.3.4.5', 'x::1'].map(addressProblem)).toEqual(Array(4).fill('no address'));
  });
});

describe('SG-09: an endpoint is judged by all addresses of its host', () => {
  test('public addresses alone are allowed', async () => {
    const guard = guardWith({ 'receiver.example': [publicAddress, '2606:4700:4700::1111'] });
    expect(await guard.problem('https://receiver.example/events')).toBeNull();
    expect(await guard.problem(`https://${publicAddress}/events`)).toBeNull();
    expect(await guard.addressesOf('receiver.example', 443)).toEqual([
      { address: publicAddress, family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  test('one bad address among public ones refuses the endpoint, and is not named', async () => {
    const guard = guardWith({ 'receiver.example': [publicAddress, '10.1.2.3'] });
    const problem = 'must have a host whose addresses are all public; it resolves to a private address';
    expect(await guard.problem('https://receiver.example/')).toBe(problem);
    await expect(guard.addressesOf('receiver.example', 443)).rejects.toThrow(problem);
  });

  test.each([
    'https://10.0.0.1/',
    'https://169.254.169.254/latest',
    'https://127.0.0.1:8443/',
    'https://[::1]/',
  ])('a literal address is judged, too: %s', async (url) => {
    expect(await guardWith({}).problem(url)).toMatch(/^must have a host whose addresses are all public/);
  });

  test('a host without an address is refused', async () => {
    const guard = guardWith({ 'empty.example': [] });
    expect(await guard.problem('https://unknown.example/')).toBe(
      'must have a host that resolves to an address',
    );
    expect(await guard.problem('https://empty.example/')).toBe(
      'must have a host that resolves to an address',
    );
  });

  test('what is spelled wrong is not looked up', async () => {
    expect(await guardWith({}).problem('https://user@unknown.example/')).toBe(
      'must not have user information (user:password@)',
    );
  });
});

describe('SG-09: the service pushes nothing to itself', () => {
  const mine = 'must not be an address of this service';

  test('by its name, by another name of its address, in another notation', async () => {
    const guard = guardWith({
      'auth.example': [publicAddress],
      'alias.example': [publicAddress],
      'mapped.example': ['64:ff9b::5db8:d70e'],
      'other.example': ['1.1.1.1'],
    });
    for (const host of ['auth.example', 'alias.example', 'mapped.example'])
      expect(await guard.problem(`https://${host}/`)).toBe(mine);
    expect(await guard.problem('https://other.example/')).toBeNull();
  });

  test('by its name when that does not resolve to a public address, and by each of its interfaces', async () => {
    expect(await guardWith({ 'auth.example': ['1.1.1.1'] }).problem('https://auth.example/')).toBe(mine);
    const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
    expect(addresses.length).toBeGreaterThan(0);
    const guard = guardWith(
      Object.fromEntries(addresses.map(({ address }, i) => [`if${i}.example`, [address]])),
    );
    for (const i of addresses.keys())
      expect(await guard.problem(`https://if${i}.example/`)).toMatch(/^must (not be|have a host whose)/);
  });

  test('another port of a loopback host is allowed outside production, and only there', async () => {
    const hosts = { localhost: ['127.0.0.1', '::1'] };
    for (const url of [
      'http://127.0.0.1:3000/',
      'http://localhost:3000/',
      'https://localhost:3000/',
      'http://[::1]:3000/',
    ]) {
      expect(await guardWith(hosts, false).problem(url)).toBeNull();
      expect(await guardWith(hosts, true).problem(url)).toMatch(/^must/);
    }
    for (const url of ['http://127.0.0.1:9000/', 'http://localhost:8443/', 'https://[::1]:9000/'])
      expect(await guardWith(hosts, false).problem(url)).toMatch(/loopback address$/);
  });

  test('a name that resolves to a loopback address is no loopback host, and localhost is nothing else', async () => {
    const guard = guardWith({ 'rebound.example': ['127.0.0.1'], localhost: ['10.0.0.1'] }, false);
    expect(await guard.problem('https://rebound.example:3000/')).toMatch(/a loopback address$/);
    expect(await guard.problem('http://localhost:3000/')).toMatch(/^must have a host whose/);
  });
});
