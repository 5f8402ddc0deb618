import { describe, expect, test } from 'vitest';
import { usualRegistration } from '../../../src/domain/addons/addon.ts';
import { registrationProblems } from '../../../src/domain/addons/addon-registration.ts';

type Asked = Parameters<typeof registrationProblems>[0];

const usual: Asked = {
  ...usualRegistration,
  name: 'Door Opener',
  redirectUris: ['https://doors.example/callback'],
  configurationUrl: null,
  confidential: false,
};
const resourceServer: Partial<Asked> = { confidential: true, grantTypes: [], redirectUris: [] };
const problems = (change: Partial<Asked> = {}) => registrationProblems({ ...usual, ...change });
const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://doors.example/${index}`);

describe('a registration', () => {
  test('AD-01: gets every problem at once, by field', () => {
    expect(problems()).toEqual([]);
    const wrong = {
      name: '',
      redirectUris: [],
      configurationUrl: 'ftp://x/',
      grantTypes: ['refresh_token'] as const,
      postLogoutRedirectUris: ['javascript:alert(1)'],
      audiences: ['https://api.example'],
    };
    expect(problems(wrong).map(({ field }) => field)).toEqual([
      'name',
      'redirectUris',
      'configurationUrl',
      'grantTypes',
      'postLogoutRedirectUris[0]',
      'audiences',
    ]);
  });

  test('FX-26: a redirect URI with a parameter of the response is refused, unless it is registered already', () => {
    const redirectUris = ['https://doors.example/callback?state=1'];
    expect(problems({ redirectUris })).toEqual([
      { field: 'redirectUris[0]', message: expect.stringContaining('parameter state') as string },
    ]);
    const already = { redirectUris, postLogoutRedirectUris: [] };
    expect(registrationProblems({ ...usual, redirectUris }, already)).toEqual([]);
  });

  test('FX-26: an address after a sign-out with the parameter state is refused, unless it is registered already', () => {
    const postLogoutRedirectUris = ['https://doors.example/out?state=1'];
    expect(problems({ postLogoutRedirectUris })).toEqual([
      { field: 'postLogoutRedirectUris[0]', message: expect.stringContaining('parameter state') as string },
    ]);
    expect(problems({ postLogoutRedirectUris: ['https://doors.example/out?code=1&error=1'] })).toEqual([]);
    const already = { redirectUris: [], postLogoutRedirectUris };
    expect(registrationProblems({ ...usual, postLogoutRedirectUris }, already)).toEqual([]);
    const others = { redirectUris: postLogoutRedirectUris, postLogoutRedirectUris: [] };
    expect(registrationProblems({ ...usual, postLogoutRedirectUris }, others)).toHaveLength(1);
  });

  test('AD-01: an add-on has one to ten URIs, each once, and a problem names the one it is about', () => {
    const redirecting = (redirectUris: readonly string[]) => problems({ redirectUris });
    expect(redirecting(addresses(10))).toEqual([]);
    expect(redirecting([])).toEqual([{ field: 'redirectUris', message: 'must contain at least one URI' }]);
    expect(redirecting(addresses(11))).toEqual([
      { field: 'redirectUris', message: 'must contain at most 10 URIs' },
    ]);
    expect(redirecting(['https://a.example/', 'http://b.example/', 'https://a.example/'])).toEqual([
      { field: 'redirectUris[1]', message: 'must be https unless the host is 127.0.0.1, [::1] or localhost' },
      { field: 'redirectUris[2]', message: 'is listed twice' },
    ]);
  });

  test('AZ-07: an address after a sign-out obeys the rules of a redirect URI; there may be none', () => {
    const leaving = (postLogoutRedirectUris: readonly string[]) => problems({ postLogoutRedirectUris });
    expect(leaving([])).toEqual([]);
    expect(leaving(addresses(10))).toEqual([]);
    expect(leaving(addresses(11))).toMatchObject([{ field: 'postLogoutRedirectUris' }]);
    const bad = ['https://a.example/#f', 'data:text/html,x', 'http://a.example/', 'https://a.example/*'];
    expect(leaving(bad).map(({ field }) => field)).toEqual(
      bad.map((_uri, index) => `postLogoutRedirectUris[${index}]`),
    );
    expect(leaving(['com.example.app:/out', 'http://127.0.0.1/out', 'com.example.app:/out'])).toEqual([
      { field: 'postLogoutRedirectUris[2]', message: 'is listed twice' },
    ]);
  });
});

describe('the grant types of a registration', () => {
  test('AD-01: refresh_token needs authorization_code, and neither is named twice', () => {
    expect(problems({ grantTypes: ['authorization_code'] })).toEqual([]);
    expect(problems({ grantTypes: ['refresh_token', 'authorization_code'] })).toEqual([]);
    expect(problems({ grantTypes: ['refresh_token'] })).toMatchObject([{ field: 'grantTypes' }]);
    const twice = ['authorization_code', 'authorization_code'] as const;
    expect(problems({ grantTypes: twice })).toMatchObject([{ field: 'grantTypes' }]);
  });

  test('AD-01: a resource server has none and no redirect URI, and must be able to prove who it is', () => {
    expect(problems(resourceServer)).toEqual([]);
    expect(problems({ ...resourceServer, confidential: false })).toMatchObject([{ field: 'grantTypes' }]);
  });
});

describe('the audiences of a registration', () => {
  test.each(['https://api.example', 'https://api.example/v1?x=%20#'.slice(0, -1), 'urn:example:doors'])(
    'AD-01: %s may be answered for by a confidential add-on only',
    (uri) => {
      expect(problems({ ...resourceServer, audiences: [uri] })).toEqual([]);
      expect(problems({ confidential: true, audiences: [uri] })).toEqual([]);
      expect(problems({ audiences: [uri] })).toMatchObject([{ field: 'audiences' }]);
    },
  );

  test.each(['', '/lists', 'api.example', 'https://api.example/#f', 'https:', 'urn:a b', 'urn:ä'])(
    'AD-01: %j is no absolute URI without a fragment',
    (uri) => {
      const sent = ['urn:first', uri];
      expect(problems({ confidential: true, audiences: sent })).toMatchObject([{ field: 'audiences[1]' }]);
    },
  );

  test('each is listed once, at most ten', () => {
    const audiences = ['urn:a', 'urn:b', 'urn:a'];
    expect(problems({ confidential: true, audiences })).toMatchObject([{ field: 'audiences[2]' }]);
    expect(problems({ confidential: true, audiences: addresses(11) })).toMatchObject([
      { field: 'audiences' },
    ]);
    expect(problems({ confidential: true, audiences: [`urn:${'a'.repeat(2045)}`] })).toHaveLength(1);
  });
});
