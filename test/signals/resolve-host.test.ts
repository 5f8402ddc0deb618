import { expect, test } from 'vitest';
import { resolveHost } from '../../src/signals/endpoint/endpoint-guard.ts';

test('SG-09: literal addresses and the own host need no name server', async () => {
  expect(await resolveHost('93.184.215.14')).toEqual(['93.184.215.14']);
  expect(await resolveHost('2606:4700:4700::1111')).toEqual(['2606:4700:4700::1111']);
  expect(await resolveHost('localhost')).toEqual(['127.0.0.1', '::1']);
});

test('SG-09: a host without an address is an error', async () => {
  await expect(resolveHost('not a host name')).rejects.toThrow('not a host name');
});
