import fc from 'fast-check';
import { hash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { isRegisteredRedirectUri, redirectUriProblem } from '../../../src/domain/addons/redirect-uri.ts';
import type { Addon } from '../../../src/commands/addons/find-addon.ts';
import { authenticateClient, readClient } from '../../../src/http/oauth/token/client-authentication.ts';
import { singleTokenParameters } from '../../../src/http/oauth/token/token-checks.ts';
import { parseParams } from '../../../src/http/requests/params.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { authorizeUrl, returned, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const http = await startHttpApp();
const scene = await setScene(http);
const browser = await signedIn(http, scene);
afterAll(() => http.close());

describe('redirect URIs, with WHATWG URL as the judge', () => {
  const host = fc.constantFrom(
    'a.example',
    'A.example',
    'xn--bcher-kva.example',
    'bücher.example',
    '127.0.0.1',
    '[::1]',
  );
  const variant = fc
    .record({
      scheme: fc.constantFrom('https', 'HTTPS', 'http', 'hTtPs'),
      user: fc.constantFrom('', '', '', 'a@', 'a:b@'),
      host,
      port: fc.constantFrom('', '', ':443', ':80', ':8080', ':'),
      path: fc.constantFrom(
        '',
        '/',
        '/cb',
        '/cb/',
        '/CB',
        '/c%62',
        '/a/../cb',
        '/%2e%2e/cb',
        '/cb/.',
        '//cb',
        '/cb;x',
      ),
      query: fc.constantFrom('', '', '?', '?x=1', '?X=1', '?x=%31'),
    })
    .map((parts) => `${parts.scheme}://${parts.user}${parts.host}${parts.port}${parts.path}${parts.query}`);
  const registrable = variant.filter((uri) => redirectUriProblem(uri) === null);
  const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d+/, '$1');

  test('AZ-05, AZ-06: who is accepted has the registered origin, path and query, and is written like it', () => {
    fc.assert(
      fc.property(registrable, fc.oneof(variant, registrable), (registered, presented) => {
        const same = withoutPort(presented) === withoutPort(registered);
        expect(isRegisteredRedirectUri([registered], presented)).toBe(same);
        const [known, sent] = [registered, same ? presented : registered].map(
          (uri) => new URL(withoutPort(uri)),
        );
        expect([sent?.href, sent?.username, sent?.hash]).toEqual([known?.href, '', '']);
      }),
      propertyRuns(3_000),
    );
  });

  test('AZ-07, AD-01: what may be registered is already as a browser would write it', () => {
    fc.assert(
      fc.property(registrable, (uri) => {
        const { protocol, host: read, pathname, search, username } = new URL(uri);
        const [, scheme = '', authority = '', rest = ''] = /^([^:]+):\/\/([^/?]*)(.*)$/.exec(uri) ?? [];
        const port = { https: ':443', http: ':80' }[scheme] ?? '';
        const written = authority.toLowerCase().replace(new RegExp(`${port}$`), '');
        expect([`${scheme}:`, written, '']).toEqual([protocol, read, username]);
        expect(rest.replace(/^(?=$|\?)/, '/').replace(/\?$/, '')).toBe(pathname + search);
      }),
      propertyRuns(3_000),
    );
  });
});

test('AZ-15: whatever printable state is sent, the callback decodes the same, through the real pages', async () => {
  const state = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
    .filter((text) => !/[\p{C}\uFFFD]/u.test(text));
  await fc.assert(
    fc.asyncProperty(fc.oneof(state, fc.stringMatching(/^[ -~]{1,200}$/)), async (sent) => {
      const page = await browser.get(authorizeUrl(scene, { state: sent, prompt: 'consent' }));
      const denied = returned(await browser.press(page, 'Do not allow'));
      const silent = returned(
        await testBrowser(http.app).get(authorizeUrl(scene, { state: sent, prompt: 'none' })),
      );
      expect([denied['state'], silent['state']]).toEqual([sent, sent]);
    }),
    propertyRuns(40),
  );
});

describe('Basic credentials', () => {
  const clientId = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
  const asks: string[] = [];
  const knowing = (secret: string) => ({
    findAddon: (asked: string) => {
      asks.push(asked);
      const secretDigests = [hash('sha256', secret, 'base64url')];
      return Promise.resolve(
        asked === clientId ? ({ addonId: clientId, secretDigests } as unknown as Addon) : null,
      );
    },
  });
  /** As RFC 6749 Appendix B says, by somebody else's encoder. */
  const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  const basic = (user: string, secret: string) =>
    `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const authenticate = (secret: string, authorization: string) =>
    authenticateClient(knowing(secret), readClient(authorization, parseParams('')));
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });

  test('TK-07: any secret, form-encoded, is the secret that was meant, and no other is', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (secret, other) => {
        const right = await authenticate(secret, basic(clientId, formEncoded(secret)));
        const percent = encodeURIComponent(secret);
        const alike = await authenticate(secret, basic(clientId, percent));
        const wrong = await authenticate(secret, basic(clientId, formEncoded(other)));
        expect([right.ok, alike.ok, wrong.ok]).toEqual([true, true, secret === other]);
      }),
      propertyRuns(500),
    );
  });

  test('TK-07, TK-05: any other header is nobody: a 4xx that says no more, and nobody unheard of is looked for', async () => {
    const bytes = fc
      .uint8Array({ maxLength: 80 })
      .map((raw) => `Basic ${Buffer.from(raw).toString('base64')}`);
    const header = fc.oneof(
      bytes,
      fc.string({ maxLength: 80 }),
      text.map((user) => basic(user, 'x')),
    );
    await fc.assert(
      fc.asyncProperty(header, async (authorization) => {
        const { ok, ...refused } = await authenticate('secret', authorization);
        expect([ok, refused]).toMatchObject([false, { answer: { error: 'invalid_client', status: 401 } }]);
      }),
      propertyRuns(1_000),
    );
    expect(asks.every((asked) => /^[0-9A-Z]{26}$/.test(asked))).toBe(true);
  });
});

test('G-04, S1: of parameters in any order in query and body, one that comes twice is refused, and only that', async () => {
  const pair = fc.tuple(
    fc.constantFrom(...singleTokenParameters, 'other', '__proto__'),
    fc.constantFrom('', 'x', 'y'),
  );
  const pairs = fc.array(pair, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(pairs, pairs, async (query, body) => {
      const encode = (sent: readonly (readonly [string, string])[]) =>
        new URLSearchParams(sent.map(([name, value]) => [name, value])).toString();
      const answer = await http.app.inject({
        method: 'POST',
        url: `/oauth/token?${encode(query)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: encode(body),
      });
      const names = [...query, ...body].map(([name]) => name);
      const repeated = singleTokenParameters.filter(
        (name) => names.filter((sent) => sent === name).length > 1,
      );
      const { error, error_description: description } = answer.json<Record<string, string>>();
      const complaint = /^(\w+) was sent more than once$/.exec(description ?? '')?.[1];
      const secretInQuery = query.some(([name]) => name === 'client_secret');
      expect(answer.statusCode).toBeLessThan(500);
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      const expected = repeated.length > 0 && !secretInQuery ? repeated : [undefined];
      expect(expected).toContain(complaint);
      expect(error).toMatch(complaint === undefined ? /^(invalid|unsupported)_/ : /^invalid_request$/);
    }),
    propertyRuns(150),
  );
});
