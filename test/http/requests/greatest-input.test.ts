import { maxHeaderSize } from 'node:http';
import type { InjectOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { singleParameters } from '../../../src/http/oauth/authorize/authorize-checks.ts';
import { signOutParameters } from '../../../src/http/oauth/identity/sign-out-request.ts';
import { presentedTokenParameters } from '../../../src/http/oauth/token/presented-token.ts';
import { singleTokenParameters } from '../../../src/http/oauth/token/token-checks.ts';
import { chooseLanguage } from '../../../src/http/words/languages.ts';
import { cookieName } from '../../../src/http/session/cookies.ts';
import { signInFields } from '../../../src/http/session/sign-in.ts';
import { acme } from '../../support/scenes/away-provider.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { authorizeUrl, setScene } from '../../support/scenes/http-scene.ts';

/** What anybody may send, at its greatest size, and made of what makes parsers slow. */

const http = await startHttpApp({
  signIn: { providers: [acme] },
  config: { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] },
});
const { clientId, clientSecret } = await setScene(http, { confidential: true });
const asked = new URL(authorizeUrl(await setScene(http)), http.baseUrl).searchParams;
afterAll(() => http.close());

/** The CPU time of a request in milliseconds, the least of some, as the process does other things, too. */
const costOf = async (request: InjectOptions): Promise<number> => {
  let least = Infinity;
  for (let time = 0; time < 20 && least > allowed; time += 1) {
    const before = process.cpuUsage();
    const { statusCode } = await http.app.inject(request);
    const { user, system } = process.cpuUsage(before);
    if (statusCode === 500) return Infinity;
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
};
const allowed = 50;

/** Repeated, each is the worst form for some way of reading: splitting, backtracking, nesting, decoding, or a lookup for each part. */
const units = [
  'a',
  '-',
  'a-',
  ' ',
  ',',
  'a,',
  ';',
  'a;q=1,',
  '"',
  '\\',
  '=',
  '&',
  '.',
  '%',
  '{"a":',
  '[',
  '1',
  '~',
];
const form = 'application/x-www-form-urlencoded';

const slowOf = async (requests: readonly (readonly [name: string, request: InjectOptions])[]) => {
  const slow: string[] = [];
  for (const [name, request] of requests) if ((await costOf(request)) > allowed) slow.push(name);
  return slow;
};
/** As one string: a repeated one is built of pieces until it is read. */
const repeated = (unit: string, length: number) => Buffer.alloc(length, unit).toString('latin1');

/** Each with how it begins, so that its parser reads on. */
const fields = [
  ...'accept-language accept accept-encoding authorization content-type cookie user-agent forwarded if-none-match'.split(
    ' ',
  ),
  ...'if-match range traceparent tracestate origin referer prefer idempotency-key sec-fetch-site expect'.split(
    ' ',
  ),
  'accept-language: en-',
  'authorization: Bearer ',
  'authorization: Basic ',
  'content-type: text/plain;a="',
  'content-type: application/x-www-form-urlencoded;',
  'x-forwarded-for: 10.0.0.1,',
];
const cookies = (['session', 'pending'] as const).map((name) =>
  cookieName({ baseUrl: http.baseUrl, secureCookies: false }, name),
);
const header = maxHeaderSize - 1_024;

const third = (from: number) => units.filter((_, at) => at % 3 === from);

/** The server reads most fields for all of them: the first gets every unit, and the others a part each. */
test.each<InjectOptions & { readonly sent: readonly string[] }>([
  { method: 'GET', url: '/sign-in', sent: units },
  { method: 'GET', url: '/oauth/jwks', sent: third(0) },
  { method: 'GET', url: '/profiles', sent: third(1) },
  { method: 'POST', url: '/oauth/token', payload: 'a=b', headers: { 'content-type': form }, sent: third(2) },
])('FX-86: no header field and no cookie costs much at $method $url', async ({ sent: own, ...request }) => {
  const sent = [...fields, ...cookies.map((name) => `cookie: ${name}=`)];
  const requests = sent.flatMap((field) =>
    own.map((unit) => {
      const [name = '', begin = ''] = field.split(': ');
      const headers = { ...request.headers, [name]: begin + repeated(unit, header) };
      return [`${field}${unit}`, { ...request, headers }] as const;
    }),
  );
  expect(await slowOf(requests)).toEqual([]);
});

/** With what brings a request as far as its parameters. */
const client = { client_id: clientId, client_secret: clientSecret ?? '' };
type Open = readonly [url: string, names: readonly string[], good?: Readonly<Record<string, string>>];
const exchange = { ...client, grant_type: 'authorization_code' };
const refresh = { ...client, grant_type: 'refresh_token' };
const open: readonly Open[] = [
  ['/oauth/token', [...singleTokenParameters, 'resource'], exchange],
  ['/oauth/token', ['refresh_token', 'scope'], refresh],
  ['/oauth/introspect', presentedTokenParameters, client],
  ['/oauth/revoke', presentedTokenParameters, client],
  ['/oauth/userinfo', ['access_token']],
  ['/oauth/authorize', [...singleParameters, 'redirect_uri', 'resource'], Object.fromEntries(asked)],
  ['/oauth/logout', signOutParameters],
  ['/sign-in', signInFields],
  ['/sign-in/passkey', ['interaction', 'credential']],
  ['/sign-in/backchannel-logout/acme', ['logout_token']],
  ['/forgot-password', ['email', 'csrf']],
  ['/choose-password', ['link', 'password']],
  ['/sign-out', ['csrf', 'return_to']],
];

for (const [url, names, good = {}] of open)
  test(`FX-86: no parameter of ${url} costs much (${names.at(-1) ?? ''})`, async () => {
    const length = 64 * 1_024 - 2_048;
    const requests = names.flatMap((name) =>
      units.map((unit) => {
        const { [name]: _, ...others } = good;
        const value = repeated(unit === '&' ? `&${name}=` : unit === ' ' ? '+' : unit, length);
        const payload = `${new URLSearchParams(others).toString()}&${name}=${value}`;
        return [
          `${name}=${unit}`,
          { method: 'POST', url, payload, headers: { 'content-type': form } },
        ] as const;
      }),
    );
    expect(await slowOf(requests)).toEqual([]);
  });

test('FX-86: of the languages that a request asks for the first 200 characters and 20 ranges are read', () => {
  const tagOf = (accept: string, uiLocales = '') => chooseLanguage({ accept, uiLocales }).tag;
  expect(tagOf(`${'x,'.repeat(19)}de`)).toBe('de');
  expect(tagOf(`${'x,'.repeat(20)}de`)).toBe('en');
  expect(tagOf(`${' '.repeat(190)},de`)).toBe('de');
  expect(tagOf(`${' '.repeat(200)},de`)).toBe('en');
  expect(tagOf('', `${'x '.repeat(20)}de`)).toBe('en');
  expect(tagOf('', `${'x'.repeat(200)} de`)).toBe('en');
  expect(tagOf('', `de-${'a-'.repeat(500)}`)).toBe('de');
});
