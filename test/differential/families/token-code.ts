import { challenge, verifier } from '../../support/scenes/grants.ts';
import { otherWebRedirect, webRedirect, type Clients } from '../clients.ts';
import {
  changed,
  specialTokenCases,
  tokenCases,
  type Change,
  type EdgeRequest,
  type Given,
} from '../edge-request.ts';
import { exchangeBase, refreshBase } from '../prepare.ts';

/** The code, what it is bound to and what has become of it (TC-01 to TC-15). */
export const tokenCodeRequests = (clients: Clients): readonly EdgeRequest[] => {
  const { web, native } = clients;
  const base = exchangeBase(web);
  const code: Given = { made: 'code', by: 'web' };
  const proof = (code_verifier: string): Change => ({ code_verifier });
  const to = (redirect_uri: string): Change => ({ redirect_uri });
  return [
    ...tokenCases('code', base, code, {
      right: {},
      missing: { code: null },
      empty: { code: '' },
      'no code': { code: 'x' },
      'prefix alone': { code: 'mkt_code_' },
      tampered: { code: '{code tampered}' },
      cut: { code: '{code cut}' },
      longer: { code: '{code}A' },
      'in lower case': { code: '{code in lower case}' },
      'a space after it': { code: '{code} ' },
      'NUL after it': { code: '{code}\0' },
      'of 5,000 characters': { code: 'x'.repeat(5_000) },
      'not ASCII': { code: 'kód' },
      'a name of objects': { code: '__proto__' },
      'everything wrong': { code: 'x', code_verifier: 'y', redirect_uri: 'z' },
      'missing, verifier too': { code: null, code_verifier: null },
      'unknown, client unknown': { code: 'x', client_id: 'nobody' },
    }),
    ...tokenCases(
      'code, of another client',
      exchangeBase(web),
      { made: 'code', by: 'codeOnly' },
      { right: {} },
    ),
    ...tokenCases(
      'code, spent',
      base,
      { made: 'spent-code', by: 'web' },
      {
        'at once': {},
        'at once, wrong verifier': proof('w'.repeat(43)),
        'at once, another client': { client_id: native.id },
        'a refresh token as code': { code: '{refresh_token}' },
        'an access token as code': { code: '{access_token}' },
      },
    ),
    ...tokenCases(
      'code, spent, later',
      base,
      { made: 'spent-code', by: 'web' },
      { replayed: {} },
      { after: 5 },
    ),
    ...tokenCases('code, late', base, code, { 'after 55 s': {} }, { after: 55 }),
    ...tokenCases('code, late', base, code, { 'after 61 s': {} }, { after: 61 }),
    ...tokenCases(
      'code, replayed',
      refreshBase(web),
      { made: 'replayed-code', by: 'web' },
      {
        'then a refresh': {},
      },
    ),
    ...tokenCases(
      'code, replayed at once',
      refreshBase(web),
      { made: 'spent-code', by: 'web' },
      {
        'no replay, then a refresh': {},
      },
    ),
    ...tokenCases('redirect-uri', base, code, {
      missing: { redirect_uri: null },
      empty: { redirect_uri: '' },
      'another registered one': to(otherWebRedirect),
      unregistered: to('https://evil.example/'),
      'without its query': to('https://addon.example/cb'),
      'with a slash at the end': to(`${webRedirect}/`),
      'with the host in capitals': to('https://ADDON.example/cb?x=1'),
      'percent-encoded': to('https://addon.example/%63b?x=1'),
      'escaped twice': to(encodeURIComponent(webRedirect)),
      relative: to('/cb?x=1'),
    }),
    ...tokenCases(
      'redirect-uri, native',
      exchangeBase(native),
      { made: 'code', by: 'native', asking: { redirect_uri: 'http://127.0.0.1:49152/cb' } },
      {
        'the same port': to('http://127.0.0.1:49152/cb'),
        'another port': to('http://127.0.0.1:49153/cb'),
        'no port': to('http://127.0.0.1/cb'),
        'another loopback host': to('http://[::1]:49152/cb'),
      },
    ),
    ...tokenCases('verifier', base, code, {
      missing: { code_verifier: null },
      empty: proof(''),
      wrong: proof('w'.repeat(43)),
      'the challenge': proof(challenge),
      '42 characters': proof(verifier.slice(1)),
      '44 characters': proof(`${verifier}a`),
      '128 characters': proof('a'.repeat(128)),
      '129 characters': proof('a'.repeat(129)),
      padded: proof(`${verifier}=`),
      'with a plus': proof(`+${verifier.slice(1)}`),
      'with a space': proof(`${verifier} `),
      'with a line break': proof(`${verifier}\n`),
      'not ASCII': proof(`é${verifier.slice(1)}`),
      'in lower case': proof(verifier.toLowerCase()),
      'of 5,000 characters': proof('a'.repeat(5_000)),
      'with a challenge and method': { code_challenge: challenge, code_challenge_method: 'plain' },
    }),
    ...specialTokenCases('verifier, twice', base, code, {
      equal: { body: changed(base, proof(verifier)).concat([['code_verifier', verifier]]) },
    }),
    ...tokenCases('twice', base, code, {
      grant_type: { grant_type: ['authorization_code', 'authorization_code'] },
      client_id: { client_id: [web.id, web.id] },
      code: { code: ['{code}', '{code}'] },
      redirect_uri: { redirect_uri: [webRedirect, webRedirect] },
      code_verifier: { code_verifier: [verifier, verifier] },
      'code, one empty': { code: ['', '{code}'] },
      scope: { scope: ['openid', 'openid'] },
      refresh_token: { refresh_token: ['x', 'x'] },
      unknown: { foo: ['1', '2'] },
      resource: { resource: ['https://api.example/', 'https://api.example/'] },
    }),
    ...tokenCases('ignored', base, code, {
      'a scope': { scope: 'openid' },
      'a scope with a quotation mark': { scope: '"' },
      'a wider scope': { scope: 'openid profiles:read reservations:read' },
      'a refresh token': { refresh_token: 'x' },
      'a state': { state: 'x' },
      'unknown names': { foo: 'bar', 'a[]': '1', constructor: 'x' },
      'the name __proto__': { ['__proto__']: 'polluted' },
      audience: { audience: 'https://api.example/' },
    }),
    ...tokenCases('resource', base, code, {
      relative: { resource: '/profiles' },
      'with a fragment': { resource: 'https://api.example/#x' },
      'not granted': { resource: 'https://other.example/' },
    }),
  ];
};
