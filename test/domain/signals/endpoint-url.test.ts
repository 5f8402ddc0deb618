import { describe, expect, test } from 'vitest';
import { endpointUrlProblem } from '../../../src/domain/signals/endpoint-url.ts';

describe('SG-08: the URL of an endpoint', () => {
  test.each([
    'https://receiver.example/events',
    'https://receiver.example:8443/events?tenant=7',
    'https://203.0.114.7/',
    'https://xn--bcher-kva.example/',
  ])('%s is well spelled', (url) => {
    expect(endpointUrlProblem(url, true)).toBeNull();
  });

  test.each(['http://127.0.0.1:3000/e', 'http://localhost:3000/e', 'http://[::1]:3000/e'])(
    '%s only outside production',
    (url) => {
      expect(endpointUrlProblem(url, false)).toBeNull();
      expect(endpointUrlProblem(url, true)).toBe('must be an https URL');
    },
  );

  test.each([
    ['http://receiver.example/', 'must be https unless the host is 127.0.0.1, [::1] or localhost'],
    ['ftp://receiver.example/', 'must be https, or http on a loopback host'],
    ['com.example.app:/events', 'must be https, or http on a loopback host'],
    ['https://xn--/', 'must have a valid host'],
    ['https://xn--a.example/', 'must have a valid host'],
  ])('%s: %s', (url, problem) => {
    expect(endpointUrlProblem(url, false)).toBe(problem);
  });

  test.each([
    'https://user:password@receiver.example/',
    'https://user@receiver.example/',
    'https://receiver.example:443@10.0.0.1/',
    'https://@receiver.example/',
    'https://receiver.example\\@10.0.0.1/',
  ])('SG-09: %s has user information', (url) => {
    expect(endpointUrlProblem(url, true)).toBe('must not have user information (user:password@)');
  });

  test.each([
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.1/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://%31%32%37.0.0.1/',
    'https://１２７.0.0.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://[2001:4860:4860::8888]/',
  ])('SG-09: %s writes its host in a notation that is not allowed', (url) => {
    expect(endpointUrlProblem(url, false)).toMatch(/^must (have|contain)/);
    expect(endpointUrlProblem(url, true)).toMatch(/^must (have|contain)/);
  });
});
