import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  configurationUrlProblem,
  isNativeRedirect,
  isRegisteredRedirectUri,
  redirectUriProblem,
  responseParameterProblem,
} from '../../../src/domain/addons/redirect-uri.ts';

describe('registering a redirect URI', () => {
  test.each(['code', 'state', 'iss', 'error', 'error_description', 'error_uri'])(
    'FX-26: its query must not have the parameter %s of the response',
    (name) => {
      const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      for (const query of [`?${name}=1`, `?x=1&${name}`, `?${encoded}=1`])
        expect(responseParameterProblem(`https://addon.example/cb${query}`)).toContain(
          `parameter ${name} in`,
        );
      for (const fine of [`?${name}s=1`, `/${name}=1`, `?x=${name}`, ''])
        expect(responseParameterProblem(`https://addon.example/cb${fine}`)).toBeNull();
    },
  );

  test.each([
    'https://addon.example/callback',
    'https://addon.example',
    'https://addon.example:8443/a/b?tenant=1&x=%20y',
    'https://[::1]:8443/callback',
    'https://192.0.2.7/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:4711/callback',
    'http://[::1]/callback',
    'http://localhost:3000/callback',
    'com.example.app:/oauth2redirect',
    'com.example.app://callback',
  ])('AD-01: %s may be registered', (uri) => {
    expect(redirectUriProblem(uri)).toBeNull();
  });

  test.each([
    ['', 'must contain only'],
    ['/callback', 'must be absolute'],
    ['//addon.example/callback', 'must be absolute'],
    ['addon.example/callback', 'must be absolute'],
    ['HTTPS://addon.example/callback', 'must be absolute'],
    ['javascript:alert(1)', 'must be https'],
    ['data:text/html,hello', 'must be https'],
    ['vbscript:msgbox', 'must be https'],
    ['file:///etc/passwd', 'must be https'],
    ['myapp:/callback', 'must be https'],
    ['about:blank', 'must be https'],
    ['https://addon.example/callback#part', 'fragment'],
    ['https://addon.example/callback#', 'fragment'],
    ['https://*.addon.example/callback', 'wildcard'],
    ['https://addon.example/*', 'wildcard'],
    ['http://addon.example/callback', 'must be https unless'],
    ['http://127.0.0.1.evil.example/callback', 'must be https unless'],
    ['http://localhost.evil.example/callback', 'must be https unless'],
    ['http://127.0.0.1:80@evil.example/callback', 'user and password'],
    ['https://user@addon.example/callback', 'user and password'],
    ['https://user:secret@addon.example/callback', 'user and password'],
    ['com.example.app://user@host/callback', 'user and password'],
    ['com.example.app:callback', 'path'],
    ['https:/addon.example/callback', 'host'],
    ['https:///callback', 'host'],
    ['https://[2001:db8::1]/callback', 'must not have an IPv6 address as its host, except [::1]'],
    ['http://[::2]:80/callback', 'must not have an IPv6 address as its host, except [::1]'],
    ['com.example.app://[fe80::1]/callback', 'must not have an IPv6 address as its host, except [::1]'],
    ['https://[::1]:0/callback', 'must have a port from 1 to 65535'],
    ['https://addon.example:0/callback', 'must have a port from 1 to 65535'],
    ['https://addon.example:/callback', 'must have a port from 1 to 65535'],
    ['https://addon.example:65536/callback', 'must have a port from 1 to 65535'],
    ['https://addon.example/a/../callback', 'segments'],
    ['https://addon.example/a/%2E%2e/callback', 'segments'],
    ['https://addon.example/..', 'segments'],
    ['https://2130706433/callback', 'host'],
    ['https://0x7f.1/callback', 'host'],
    ['https://127.1/callback', 'must have a host name or four numbers from 0 to 255'],
    ['https://127.0.0.01/callback', 'host'],
    ['https://127.0.0.256/callback', 'host'],
    ['com.example.app://https:https:', 'port'],
    ['https://addon.example/call back', 'characters'],
    ['https://addon.example\\@evil.example/', 'characters'],
    ['https://addon.example/\nSet-Cookie: a=b', 'characters'],
    ['https://ädd-on.example/', 'characters'],
    ['https://addon.example/%zz', 'characters'],
    [`https://addon.example/${'a'.repeat(2048)}`, 'at most'],
  ])('AD-01, AZ-07: %j may not be registered', (uri, problem) => {
    expect(redirectUriProblem(uri)).toContain(problem);
  });

  test('AC-01: a configuration URL is one that a browser can be sent to', () => {
    expect(configurationUrlProblem('https://addon.example/configure?from=marketplace')).toBeNull();
    expect(configurationUrlProblem('http://127.0.0.1:8080/demo')).toBeNull();
    expect(configurationUrlProblem('com.example.app:/configure')).toContain('must be https');
    expect(configurationUrlProblem('https://xn--/configure')).toBe('must have a valid host');
  });
});

describe('matching a redirect URI', () => {
  const registered = 'https://addon.example/callback?tenant=1';

  test.each([
    'https://addon.example/Callback?tenant=1',
    'https://ADDON.example/callback?tenant=1',
    'https://addon.example/callback/?tenant=1',
    'https://addon.example/callback',
    'https://addon.example/callback?tenant=1&more=2',
    'https://addon.example:443/callback?tenant=1',
    'https://addon.example/c%61llback?tenant=1',
    'https://addon.example/x/../callback?tenant=1',
    'https://user@addon.example/callback?tenant=1',
    'https://addon.example/callback?tenant=1#',
    'https://addon.example./callback?tenant=1',
    'http://addon.example/callback?tenant=1',
    '/callback?tenant=1',
    '',
  ])('AZ-05: %j is not the registered one', (presented) => {
    expect(isRegisteredRedirectUri([registered], presented)).toBe(false);
  });

  test('AZ-05: the registered octets match, whichever of several they are', () => {
    expect(isRegisteredRedirectUri(['https://other.example/', registered], registered)).toBe(true);
  });

  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:8080/cb?a=1', 'http://127.0.0.1:1/cb?a=1'],
    ['http://127.0.0.1:8080/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb', 'http://[::1]:65535/cb'],
    ['http://127.0.0.1', 'http://127.0.0.1:9'],
  ])('AZ-06: registered %s also means %s', (uri, presented) => {
    expect(isRegisteredRedirectUri([uri], presented)).toBe(true);
  });

  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://127.0.0.1/cb', 'http://localhost:8080/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb/'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb?x=1'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:080/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:8080/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb'],
    ['http://localhost/cb', 'http://localhost:8080/cb'],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:8080/cb'],
    ['https://addon.example/cb', 'https://addon.example:8080/cb'],
    ['com.example.app://127.0.0.1/cb', 'com.example.app://127.0.0.1:1/cb'],
  ])('AZ-06: registered %s does not mean %s', (uri, presented) => {
    expect(isRegisteredRedirectUri([uri], presented)).toBe(false);
  });
});

describe('AZ-38: whose identity is not assured', () => {
  const registered = [
    'https://addon.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:3000/cb',
    'com.example.app:/cb',
  ];

  test.each(['http://127.0.0.1:51234/cb', 'com.example.app:/cb'])(
    '%s could be any program on the machine',
    (uri) => {
      expect(isRegisteredRedirectUri(registered, uri)).toBe(true);
      expect(isNativeRedirect(registered, uri)).toBe(true);
    },
  );

  test.each(['https://addon.example/cb', 'http://127.0.0.1:3000/cb'])(
    '%s is the address that was registered',
    (uri) => {
      expect(isNativeRedirect(registered, uri)).toBe(false);
    },
  );
});

describe('for any string', () => {
  const pieces = `https: http: com.app: javascript: // / @ : 80 0 # ? * %2e % 127.0.0.1 [::1] [::] localhost
    evil.example a.example .. . \\ ä x`.split(/\s+/);
  const piece = fc.constantFrom(' ', '\n', ...pieces);
  const beginning = fc.constantFrom(
    '',
    'https://',
    'http://',
    'com.app:/',
    'https://a.example',
    'http://127.0.0.1',
  );
  const ending = fc.array(piece, { maxLength: 8 }).map((chosen) => chosen.join(''));
  const uri = fc.tuple(beginning, ending).map((parts) => parts.join(''));
  const registrable = fc
    .oneof(
      fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
      fc
        .tuple(
          fc.constantFrom('http://127.0.0.1', 'http://[::1]'),
          fc.stringMatching(/^(\/[a-z]{0,5}){0,3}$/),
        )
        .map(([host, path]) => host + path),
    )
    .filter((candidate) => redirectUriProblem(candidate) === null);

  test('what may be registered is read by a browser as the very host that is written there', () => {
    const allowed = uri.filter((candidate) => redirectUriProblem(candidate) === null);
    fc.assert(
      fc.property(allowed, (candidate) => {
        const { protocol, username, password, hash, hostname } = new URL(candidate);
        expect({ username, password, hash }).toEqual({ username: '', password: '', hash: '' });
        expect(candidate).toContain(hostname === '' ? ':/' : `//${hostname}`);
        expect(protocol === 'http:' ? hostname : '127.0.0.1').toMatch(/^(127\.0\.0\.1|\[::1\]|localhost)$/);
        expect(protocol).toMatch(/^https?:$|\./);
      }),
      { numRuns: 1_000 },
    );
  });

  test('AZ-05: changing any one character of a presented URI makes it another, save in a loopback port', () => {
    fc.assert(
      fc.property(registrable, fc.nat(), fc.string({ maxLength: 2 }), (registered, at, put) => {
        const index = at % registered.length;
        const presented = registered.slice(0, index) + put + registered.slice(index + 1);
        const port = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d+/;
        const same = presented.replace(port, '$1') === registered.replace(port, '$1');
        expect(isRegisteredRedirectUri([registered], presented)).toBe(same);
      }),
      { numRuns: 5_000 },
    );
  });

  test('AZ-06: any port of a literal loopback address is the same one to us, and no URI ever leaves the host', () => {
    fc.assert(
      fc.property(registrable, uri, fc.integer({ min: 1, max: 65_535 }), (registered, presented, port) => {
        const moved = registered.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))/, `$1:${port}`);
        expect(isRegisteredRedirectUri([registered], moved)).toBe(true);
        const accepted = [moved, presented].filter((one) => isRegisteredRedirectUri([registered], one));
        expect(new Set(accepted.map((one) => new URL(one).hostname))).toEqual(
          new Set([new URL(registered).hostname]),
        );
      }),
    );
  });
});
