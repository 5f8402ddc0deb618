import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usualRegistration } from '../../../../src/domain/addons/addon.ts';
import type { Addon } from '../../../../src/commands/addons/find-addon.ts';
import { authorizeChecks, singleParameters } from '../../../../src/http/oauth/authorize/authorize-checks.ts';
import { checkAuthorization } from '../../../../src/http/oauth/authorize/check-authorization.ts';
import { parseParams } from '../../../../src/http/requests/params.ts';
import { challenge } from '../../../support/scenes/grants.ts';
import { eachWebAddress } from '../../../../src/domain/addons/web-addresses.ts';

const clientId = '01JZZZZZZZZZZZZZZZZZZZZZZA';
const addon: Addon = {
  addonId: clientId,
  name: 'Door Sync',
  registeredAt: 0,
  redirectUris: ['https://addon.example/cb?x=1', 'http://127.0.0.1/cb'],
  configurationUrl: null,
  allowedScopes: ['openid', 'profiles:read', 'access-rights:read'],
  secretDigests: [],
  secretIds: [],
  ...usualRegistration,
  allowedAudiences: ['https://a.example', 'urn:b'].map((audience) => ({ audience, resourceServerId: null })),
  suspended: false,
  retired: false,
  publisherId: null,
  publisher: null,
  ...eachWebAddress(() => null),
  verified: false,
  hasLogo: false,
};
const good = {
  client_id: clientId,
  redirect_uri: 'https://addon.example/cb?x=1',
  response_type: 'code',
  state: 'xyz',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};
const now = 1_800_000_000_000;

type Change = Readonly<Record<string, string | undefined>>;
const rawOf = (change: Change) =>
  Object.entries({ ...good, ...change })
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
const check = (change: Change = {}, more = '', known: Addon | null = addon) =>
  checkAuthorization(parseParams(rawOf(change) + more), known, now);
const errorOf = (change: Change, more = '') => {
  const checked = check(change, more);
  return checked.kind === 'redirect' ? checked.error : checked.kind;
};
const requestOf = (change: Change, more = '') => {
  const checked = check(change, more);
  if (checked.kind !== 'valid') throw new Error(JSON.stringify(checked));
  return checked.request;
};

describe('before the redirect URI is trusted', () => {
  test.each([
    ['AZ-02: client_id missing', check({ client_id: undefined }, '', null)],
    ['AZ-02: client_id empty', check({ client_id: '' }, '', null)],
    ['AZ-02: client_id repeated', check({}, `&client_id=${clientId}`)],
    ['AZ-03: client unknown', check({}, '', null)],
    ['AZ-03: client suspended', check({}, '', { ...addon, suspended: true })],
    ['AZ-04: redirect_uri missing', check({ redirect_uri: undefined })],
    ['AZ-04: redirect_uri empty', check({ redirect_uri: '' })],
    ['AZ-04: redirect_uri repeated', check({}, '&redirect_uri=https%3A%2F%2Faddon.example%2Fcb%3Fx%3D1')],
    [
      'AZ-04: redirect_uri wrong, and everything else too',
      check({ redirect_uri: 'https://evil.example', state: '' }),
    ],
  ])('%s is shown on a page', (_name, checked) => {
    expect(checked.kind).toBe('page');
  });

  test('AZ-03: unknown and suspended are refused alike, and the reason tells them apart', () => {
    const [unknown, suspended] = [check({}, '', null), check({}, '', { ...addon, suspended: true })];
    expect(unknown).toEqual({ ...suspended, reason: 'client-unknown' });
  });

  test.each([
    'https://ADDON.example/cb?x=1',
    'https://addon.example/cb?x=1/',
    'https://addon.example/cb',
    'https://addon.example/cb?x=1&y=2',
    'https://addon.example:443/cb?x=1',
    'https://addon.example/%63b?x=1',
    'https://addon.example/a/../cb?x=1',
    'https://user@addon.example/cb?x=1',
    'https://addon.example/cb?x=1#f',
    'https://addon.example/cb?x=1 ',
    '/cb?x=1',
    'javascript:alert(1)',
    'http://127.0.0.1:80@evil/cb',
    'http://127.0.0.1:8080/other',
    'http://localhost:8080/cb',
    'https://127.0.0.1:8080/cb',
    'http://[::1]:8080/cb',
  ])('AZ-05, AZ-06: %s is not the registered one', (uri) => {
    expect(check({ redirect_uri: uri }).kind).toBe('page');
  });

  test.each(['http://127.0.0.1:51234/cb', 'http://127.0.0.1/cb'])(
    'AZ-06: %s is the registered loopback address, whatever its port',
    (uri) => expect(requestOf({ redirect_uri: uri }).redirectUri).toBe(uri),
  );
});

describe('once it is trusted, errors are redirected', () => {
  test.each([...singleParameters])('AZ-10, G-04: %s sent twice is invalid_request', (name) => {
    const more = `&${name}=x&${name}=x`;
    const checked = check({ [name]: undefined }, more);
    expect(checked).toMatchObject({
      kind: 'redirect',
      error: 'invalid_request',
      description: `${name} was sent more than once`,
      address: { state: name === 'state' ? undefined : 'xyz' },
    });
  });

  test.each<[string, Change, string]>([
    ['AZ-11: request', { request: 'x' }, 'request_not_supported'],
    ['AZ-11: request_uri', { request_uri: 'https://x' }, 'request_uri_not_supported'],
    ['AZ-11: registration', { registration: '{}' }, 'registration_not_supported'],
    ['AZ-12: response_type missing', { response_type: undefined }, 'invalid_request'],
    ['AZ-12: response_type unknown', { response_type: 'CODE' }, 'unsupported_response_type'],
    ['AZ-12: response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    ['AZ-12: response_type code id_token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['AZ-13: response_mode form_post', { response_mode: 'form_post' }, 'invalid_request'],
    ['AZ-13: response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['AZ-15, S6: state missing', { state: undefined }, 'invalid_request'],
    ['AZ-15, S6: state empty', { state: '' }, 'invalid_request'],
    ['AZ-16: scope with a quote', { scope: 'a"b' }, 'invalid_scope'],
    ['AZ-16: scope with a tab', { scope: 'profiles:read\tx' }, 'invalid_scope'],
    ['AZ-16: scope known but not allowed', { scope: 'reservations:read' }, 'invalid_scope'],
    ['AZ-17: code_challenge missing', { code_challenge: undefined }, 'invalid_request'],
    ['AZ-17: method missing', { code_challenge_method: undefined }, 'invalid_request'],
    ['AZ-17: method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['AZ-17: method s256', { code_challenge_method: 's256' }, 'invalid_request'],
    ['AZ-18, S4: challenge with =', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['AZ-18, S4: challenge with +', { code_challenge: `+${challenge}` }, 'invalid_request'],
    ['AZ-18, S4: challenge with /', { code_challenge: `/${challenge}` }, 'invalid_request'],
    ['AZ-18: challenge with a newline', { code_challenge: `${challenge}\n` }, 'invalid_request'],
    ['AZ-18: challenge of 42', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['AZ-18: challenge of 129', { code_challenge: 'a'.repeat(129) }, 'invalid_request'],
    ['AZ-19: prompt unknown', { prompt: 'create' }, 'invalid_request'],
    ['AZ-19: prompt None', { prompt: 'None' }, 'invalid_request'],
    ['AZ-19: prompt none with another', { prompt: 'none login' }, 'invalid_request'],
    ['AZ-20: max_age negative', { max_age: '-1' }, 'invalid_request'],
    ['AZ-20: max_age a word', { max_age: 'soon' }, 'invalid_request'],
    ['AZ-22: resource relative', { resource: '/lists' }, 'invalid_target'],
    ['CL-06: resource that no operator allowed', { resource: 'https://c.example' }, 'invalid_target'],
    ['AZ-22: resource with fragment', { resource: 'https://api.example/#x' }, 'invalid_target'],
    ['AP-03: organization a name', { organization: 'Harbour House' }, 'invalid_request'],
    ['AP-03: organization in lower case', { organization: clientId.toLowerCase() }, 'invalid_request'],
    ['AP-03: organization with a space', { organization: `${clientId} ` }, 'invalid_request'],
    ['AP-03: organization a UUID', { organization: crypto.randomUUID() }, 'invalid_request'],
    ['AP-03: organization twice in one', { organization: `${clientId},${clientId}` }, 'invalid_request'],
    ['AP-03: external id missing', { organization: 'external:' }, 'invalid_request'],
    ['AP-03: external id only a space', { organization: 'external: ' }, 'invalid_request'],
    ['AP-03: external id of 256', { organization: `external:${'x'.repeat(256)}` }, 'invalid_request'],
    ['AP-03: external id with a line', { organization: 'external:a\nb' }, 'invalid_request'],
    ['AP-03: external id with a zero byte', { organization: 'external:a\0' }, 'invalid_request'],
    ['AP-03: external id reversed', { organization: 'external:a\u202Eb' }, 'invalid_request'],
    ['AP-03: external id that is no text', { organization: 'external:a\uFFFD' }, 'invalid_request'],
    ['AP-03: EXTERNAL:', { organization: 'EXTERNAL:harbour' }, 'invalid_request'],
    ['AP-03: organization of 10 kB', { organization: `external:${'x'.repeat(10_240)}` }, 'invalid_request'],
    ['AP-03: subject unknown', { subject: 'organisation' }, 'invalid_request'],
    ['AP-03: subject in capitals', { subject: 'USER' }, 'invalid_request'],
    ['AP-03: subject a key of the form', { subject: `organization:${clientId}` }, 'invalid_request'],
    ['AP-03: subject of 10 kB', { subject: 'u'.repeat(10_240) }, 'invalid_request'],
    ['AP-03: organization and subject=user', { organization: clientId, subject: 'user' }, 'invalid_request'],
    ['bad input: state of 5,000', { state: 's'.repeat(5000) }, 'invalid_request'],
    ['bad input: nonce of 5,000', { nonce: 'n'.repeat(5000) }, 'invalid_request'],
  ])('%s', (_name, change, error) => {
    expect(errorOf(change)).toBe(error);
  });

  test('AZ-14: an add-on without the code grant is unauthorized_client, after what was asked for makes sense', () => {
    const server: Addon = { ...addon, grantTypes: [] };
    expect(check({ state: undefined }, '', server)).toMatchObject({
      kind: 'redirect',
      error: 'unauthorized_client',
      address: { redirectUri: good.redirect_uri },
    });
    expect(check({ response_mode: 'form_post' }, '', server)).toMatchObject({ error: 'invalid_request' });
    expect(check({ redirect_uri: 'https://evil.example' }, '', server).kind).toBe('page');
  });

  test('AZ-12: the error of an implicit response type goes into the fragment', () => {
    expect(check({ response_type: 'id_token token' })).toMatchObject({ address: { by: 'fragment' } });
    expect(check({ response_type: 'CODE' })).toMatchObject({ address: { by: 'query' } });
  });

  test('G-01: descriptions keep to the alphabet of RFC 6749 A.8 and echo nothing that was sent', () => {
    const isFixedText = (name: string, value: string) => {
      const checked = check({ [name]: `!!${value}` });
      if (checked.kind === 'valid') return true;
      const { description } = checked;
      return /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(description) && !description.includes('!!');
    };
    const names = fc.constantFrom(...singleParameters, 'resource');
    const sent = fc.property(names, fc.string({ unit: 'binary-ascii' }), isFixedText);
    expect(fc.check(sent).failed).toBe(false);
  });
});

test.each([
  ['state of escapes', { state: '\u0001'.repeat(3000) }],
  ['state of wide characters', { state: '€'.repeat(4000) }],
  ['state and nonce', { state: 's'.repeat(4096), nonce: 'n'.repeat(4096) }],
  ['resources', { state: 's', resource: `https://api.example/${'r'.repeat(2000)}` }],
])('a %s too long for the form that carries it is refused before anybody signs in', (_name, change) => {
  const more = 'resource' in change ? `&resource=${change.resource}`.repeat(9) : '';
  expect(errorOf(change, more)).toBe('invalid_request');
  const { redirectUri, state } = requestOf({ state: 's'.repeat(4096), nonce: 'n'.repeat(3500) });
  expect(redirectUri.length + state.length).toBeGreaterThan(4096);
});

describe('a request that passes', () => {
  test.each(['~!@#$^*()_+-={}|[]:";<>?,./', 'a+b & c=d%20#e', 's'.repeat(2048), 'ключ'])(
    'AZ-15: keeps its state: %s',
    (state) => expect(requestOf({ state }).state).toBe(state),
  );

  test('S4: a hexadecimal challenge passes here; the exchange will fail', () => {
    expect(requestOf({ code_challenge: 'ab01'.repeat(16) }).codeChallenge).toBe('ab01'.repeat(16));
  });

  test('AZ-16: unknown scopes are ignored', () => {
    expect(requestOf({ scope: 'profiles:read unheard:of' }).scopes).toEqual(['profiles:read']);
    expect(requestOf({ scope: 'unheard:of' }).scopes).toEqual([]);
  });

  test('without scope the add-on asks for all it is registered for, but not to identify the user', () => {
    expect(requestOf({}).scopes).toEqual(['profiles:read', 'access-rights:read']);
  });

  test('AZ-19: a prompt repeated inside the list is harmless', () => {
    expect(requestOf({ prompt: 'login  consent login' }).prompt).toEqual(['login', 'consent']);
  });

  test('AZ-20, AZ-34: max_age=0 asks for a sign-in since now, as prompt=login does', () => {
    expect(requestOf({ max_age: '0' })).toMatchObject({ signedInSince: now, mustSignIn: true });
    expect(requestOf({ prompt: 'login' }).mustSignIn).toBe(true);
    expect(requestOf({ max_age: '60' }).mustSignIn).toBe(false);
    expect(requestOf({ prompt: 'login' }).signedInSince).toBe(now);
    expect(requestOf({ max_age: '60' }).signedInSince).toBe(now - 60_000);
    expect(requestOf({ max_age: '9'.repeat(40) }).signedInSince).toBe(0);
    expect(requestOf({}).signedInSince).toBeNull();
  });

  test('AZ-22: several resources are allowed', () => {
    expect(requestOf({}, '&resource=https://a.example&resource=urn:b').resources).toEqual([
      'https://a.example',
      'urn:b',
    ]);
  });

  test('AP-03: selects a subject, or none', () => {
    const ofOrganization = (which: object | null) => ({ kind: 'organization', which });
    const selected = (change: Change) => requestOf(change).select;
    expect(selected({})).toBeNull();
    expect(selected({ organization: '', subject: '' })).toBeNull();
    expect(selected({ subject: 'user' })).toEqual({ kind: 'user' });
    expect(selected({ subject: 'organization' })).toEqual(ofOrganization(null));
    const byId = ofOrganization({ organizationId: clientId });
    expect(selected({ organization: clientId })).toEqual(byId);
    expect(selected({ organization: clientId, subject: 'organization' })).toEqual(byId);
    const longest = 'ü'.repeat(255);
    for (const externalId of ['7', 'a b', 'external:x', '<b>', longest])
      expect(selected({ organization: `external:${externalId}` })).toEqual(ofOrganization({ externalId }));
  });

  test('G-03: parameters that nobody knows are ignored, even twice', () => {
    expect(check({}, '&__proto__=1&__proto__=2&a[]=1&constructor=x').kind).toBe('valid');
  });
});

test('no check that is redirected stands before one that is shown', () => {
  const destinations = authorizeChecks.map(({ to }) => to);
  expect(destinations).toEqual([...destinations].sort());
});
