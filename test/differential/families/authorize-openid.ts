import type { Clients } from '../clients.ts';
import { authorizeCases, type Change, type EdgeRequest } from '../edge-request.ts';
import { authorizeBase } from '../prepare.ts';

const prompts: Readonly<Record<string, Change>> = {
  absent: {},
  none: { prompt: 'none' },
  login: { prompt: 'login' },
  consent: { prompt: 'consent' },
  'login consent': { prompt: 'login consent' },
  'consent login': { prompt: 'consent login' },
  'none login': { prompt: 'none login' },
  'none none': { prompt: 'none none' },
  'login login': { prompt: 'login login' },
  select_account: { prompt: 'select_account' },
  create: { prompt: 'create' },
  unknown: { prompt: 'please' },
  'none and unknown': { prompt: 'none please' },
  'in capitals': { prompt: 'NONE' },
  'a space before it': { prompt: ' none' },
  'a space after it': { prompt: 'login ' },
  'two spaces': { prompt: 'login  consent' },
  'a comma': { prompt: 'login,consent' },
};

const few = (...names: readonly string[]): Record<string, Change> =>
  Object.fromEntries(names.map((name) => [name, prompts[name] ?? {}]));

/** What OpenID Connect adds, and what is left to ask the user (AZ-11, AZ-19 to AZ-22, AZ-30 to AZ-38). */
export const authorizeOpenIdRequests = ({ web, native, confidential }: Clients): readonly EdgeRequest[] => {
  const base = authorizeBase(web);
  const age = (max_age: string): Change => ({ max_age });
  const hint = (id_token_hint: string): Change => ({ id_token_hint });
  const silent = (id_token_hint: string): Change => ({ id_token_hint, prompt: 'none' });
  const absent = { ...base, prompt: 'none' };
  return [
    ...authorizeCases('prompt', base, prompts),
    ...authorizeCases('prompt, nobody', base, few('absent', 'none', 'consent', 'unknown', 'none login'), {
      browser: 'nobody',
    }),
    ...authorizeCases('prompt, signed in', base, few('absent', 'none', 'login', 'consent', 'login consent'), {
      browser: 'signed-in',
    }),
    ...authorizeCases('prompt, native', authorizeBase(native), few('absent', 'none', 'consent')),
    ...authorizeCases('prompt, confidential', authorizeBase(confidential), few('absent', 'none')),
    ...authorizeCases('prompt, allowed', base, few('absent', 'login', 'consent', 'login consent'), {
      browser: 'other',
      goal: 'allow',
    }),
    ...authorizeCases('prompt, nobody, allowed', base, few('absent'), { browser: 'nobody', goal: 'allow' }),
    ...authorizeCases('prompt, denied', base, few('consent', 'login consent'), {
      browser: 'other',
      goal: 'deny',
    }),
    ...authorizeCases('max-age', base, {
      'one hour': age('3600'),
      '0': age('0'),
      '0, prompt=none': { max_age: '0', prompt: 'none' },
      '00': age('00'),
      negative: age('-1'),
      'minus zero': age('-0'),
      fraction: age('1.5'),
      exponent: age('1e9'),
      plus: age('+3600'),
      'space before it': age(' 3600'),
      hexadecimal: age('0xfff'),
      word: age('never'),
      'above 2^53': age('9007199254740993'),
      'of 30 digits': age('9'.repeat(30)),
      Infinity: age('Infinity'),
      'not ASCII digits': age('٣٦٠٠'),
    }),
    ...authorizeCases(
      'max-age, later',
      base,
      { passed: age('5'), 'not passed': age('86400') },
      { after: 10 },
    ),
    ...authorizeCases('max-age, later, silent', absent, { passed: age('5') }, { after: 10 }),
    ...authorizeCases('id-token-hint', base, {
      valid: hint('{id_token}'),
      'valid, prompt=none': silent('{id_token}'),
      'of another user': hint('{id_token of another user}'),
      'of another user, prompt=none': silent('{id_token of another user}'),
      'of another client': hint('{id_token of another client}'),
      'of another client, prompt=none': silent('{id_token of another client}'),
      unsigned: hint('{id_token unsigned}'),
      'another subject': hint('{id_token with another subject}'),
      'another signature': hint('{id_token with another signature}'),
      cut: hint('{id_token cut}'),
      'no token': hint('hello'),
      'of 5,000 characters': hint('x'.repeat(5_000)),
    }),
    ...authorizeCases(
      'id-token-hint, nobody',
      base,
      { valid: hint('{id_token}'), silent: silent('{id_token}') },
      {
        browser: 'nobody',
      },
    ),
    ...authorizeCases(
      'id-token-hint, expired',
      base,
      { valid: hint('{id_token}') },
      {
        after: 4_000,
      },
    ),
    ...authorizeCases('unsupported', base, {
      request: { request: 'eyJhbGciOiJub25lIn0.e30.' },
      'request of no shape': { request: '1' },
      'request_uri of the web': { request_uri: 'https://addon.example/request' },
      'request_uri of PAR': { request_uri: 'urn:ietf:params:oauth:request_uri:abc' },
      'request and request_uri': { request: 'x.y.z', request_uri: 'https://addon.example/request' },
      'request, response_type missing': { request: 'x.y.z', response_type: null },
      registration: { registration: '{"client_name":"x"}' },
      claims: { claims: '{"id_token":{"email":null}}' },
      'claims that are no JSON': { claims: '{' },
      dpop_jkt: { dpop_jkt: 'x' },
      authorization_details: { authorization_details: '[{"type":"x"}]' },
    }),
    ...authorizeCases('harmless', base, {
      'a nonce': { nonce: 'n-0S6_WzA2Mj' },
      'a nonce of 2,000 characters': { nonce: 'n'.repeat(2_000) },
      'a nonce without openid': { nonce: 'n1', scope: 'profiles:read' },
      'max_age without openid': { max_age: '3600', scope: 'profiles:read' },
      'display popup': { display: 'popup' },
      'display unknown': { display: 'hologram' },
      'ui_locales unknown': { ui_locales: 'tlh xx-invalid' },
      acr_values: { acr_values: 'urn:mace:incommon:iap:silver' },
      'acr_values of 5,000 characters': { acr_values: 'x'.repeat(5_000) },
      'login_hint of another': { login_hint: 'carol@differential.example' },
      'unknown names': { foo: 'bar', 'a[]': '1', 'a[b]': '2', constructor: 'x', toString: 'y' },
      'the name __proto__': { ['__proto__']: 'polluted' },
      'grant_type and client_secret': { grant_type: 'password', client_secret: 'x' },
    }),
    ...authorizeCases('resource', base, {
      relative: { resource: '/profiles' },
      'with a fragment': { resource: 'https://api.example/#x' },
      'with an empty fragment': { resource: 'https://api.example/#' },
      'no URI': { resource: 'api' },
      'two, one relative': { resource: ['https://api.example/', 'profiles'] },
      'without scheme': { resource: '//api.example/' },
      'with a space': { resource: 'https://api. example/' },
    }),
  ];
};
