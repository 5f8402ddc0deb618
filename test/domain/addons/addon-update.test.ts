import { describe, expect, test } from 'vitest';
import {
  addonDecider,
  type AddonEvent,
  type AddonState,
  resumeAddon,
  retireAddon,
  suspendAddon,
} from '../../../src/domain/addons/addon.ts';
import {
  logoIn,
  updateAddon,
  updateProblems,
  withdrawnFrom,
  type AddonUpdate,
} from '../../../src/domain/addons/addon-update.ts';
import { registered, updated } from './addon-events.ts';
import { scenariosOf } from '../../support/memory/given.ts';
import { eachWebAddress } from '../../../src/domain/addons/web-addresses.ts';

const given = scenariosOf(addonDecider);

const retired: AddonEvent = { type: 'AddonRetired', data: { at: 5 } };

const nothing: AddonUpdate = {
  name: null,
  addRedirectUris: [],
  removeRedirectUris: [],
  configurationUrl: null,
  scopes: null,
  addPostLogoutRedirectUris: [],
  removePostLogoutRedirectUris: [],
  addAudiences: [],
  removeAudiences: [],
  redirectUris: null,
  postLogoutRedirectUris: null,
  allowedAudiences: null,
  audiences: null,
  unset: [],
  publisher: null,
  ...eachWebAddress(() => null),
  logo: null,
};
const updating = (changes: Partial<AddonUpdate>) => (addon: AddonState) =>
  updateAddon(addon, { ...nothing, ...changes, now: 4 });
const png = { mediaType: 'image/png', data: 'iVBORw0KGgoAAAA=' } as const;

describe('an update of an add-on', () => {
  test('AM-12: records the new values of what changes', () => {
    given(registered)
      .when(
        updating({
          name: 'Doors',
          addRedirectUris: ['https://doors.example/two'],
          removeRedirectUris: ['https://doors.example/callback'],
          scopes: ['profiles:read'],
          website: 'https://doors.example/',
          logo: png,
        }),
      )
      .accepted(
        updated({
          name: 'Doors',
          redirectUris: ['https://doors.example/two'],
          allowedScopes: ['profiles:read'],
          website: 'https://doors.example/',
          logo: png,
        }),
      );
  });

  test('FX-26: a redirect URI from before the rule keeps working; another one is refused', () => {
    const [old, other] = ['https://doors.example/cb?code=1', 'https://doors.example/cb?error=1'];
    const before: AddonEvent = { ...registered, data: { ...registered.data, redirectUris: [old] } };
    given(before)
      .when(updating({ name: 'Doors' }))
      .accepted(updated({ name: 'Doors' }));
    given(before)
      .when(updating({ addRedirectUris: [other] }))
      .refused('addon-invalid');
    expect(
      withdrawnFrom({ redirectUris: [old], allowedScopes: [] }, { redirectUri: old, scopes: [] }),
    ).toBeNull();
  });

  test('AM-12: what is already so changes nothing: a repeat is harmless', () => {
    const changes = { name: 'Doors', removeRedirectUris: ['https://other.example/'], isRepeat: true };
    given(registered, updated({ name: 'Doors' }))
      .when(updating(changes))
      .accepted();
    given(registered)
      .when(updating({ scopes: ['profiles:read', 'access-rights:read'] }))
      .accepted();
  });

  test.each([
    ['removeRedirectUris', 'removeRedirectUri', 'there are: https://doors.example/callback'],
    ['removePostLogoutRedirectUris', 'removePostLogoutRedirectUri', 'there are none'],
    ['removeAudiences', 'removeAudience', 'there are: https://api.example/'],
  ] as const)('FX-35: %s of what is not there is refused, with what is', (name, field, there) => {
    const allowed = { audience: 'https://api.example/', resourceServerId: null, at: 3 };
    const { state } = given(registered, { type: 'AddonAudienceAllowed', data: allowed });
    const change = { [name]: ['https://typo.example/'] };
    given(registered, { type: 'AddonAudienceAllowed', data: allowed })
      .when(updating(change))
      .refused('addon-invalid');
    expect(updateProblems(state, { ...nothing, ...change })).toEqual([
      { field: `${field}[0]`, message: `is not there; ${there}` },
    ]);
  });

  test('AM-12: the state after it has the new values, and the others as before', () => {
    expect(given(registered, updated({ publisher: 'Doors Ltd' })).state).toMatchObject({
      name: 'Door Opener',
      publisher: 'Doors Ltd',
      website: null,
    });
  });

  test('AM-12: audiences change with it', () => {
    const audience = { audience: 'https://api.example/', resourceServerId: null };
    given(registered)
      .when(updating({ addAudiences: [audience] }))
      .accepted({ type: 'AddonAudienceAllowed', data: { ...audience, at: 4 } });
  });

  test.each([
    ['the last redirect URI', { removeRedirectUris: ['https://doors.example/callback'] }, 'redirectUris'],
    ['a redirect URI with a fragment', { addRedirectUris: ['https://doors.example/#x'] }, 'redirectUris[1]'],
    [
      'what is added and removed',
      { addRedirectUris: ['https://a.example/'], removeRedirectUris: ['https://a.example/'] },
      'addRedirectUri[0]',
    ],
    ['a name with a change of direction', { name: 'Do\u202eors' }, 'name'],
    ['a website that is not https', { website: 'http://127.0.0.1/' }, 'website'],
    [
      'a logo that is SVG by its content',
      { logo: { mediaType: 'image/webp', data: 'PHN2Zz4=' } as const },
      'logo',
    ],
    ['a logo that is no picture', { logo: { mediaType: 'image/png', data: 'PHN2Zz4=' } as const }, 'logo'],
    [
      'a logo that is too large',
      { logo: { mediaType: 'image/png', data: `iVBORw0KGgo${'A'.repeat(87_382)}` } as const },
      'logo',
    ],
  ])('AM-12: %s is refused, with the field', (_what, changes, field) => {
    const scenario = given(registered);
    scenario.when(updating(changes)).refused('addon-invalid');
    const { state } = scenario;
    expect(updateProblems(state, { ...nothing, ...changes }).map((problem) => problem.field)).toContain(
      field,
    );
  });

  test('AM-12: needs an add-on that is registered and not retired', () => {
    given()
      .when(updating({ name: 'Doors' }))
      .refused('addon-unknown');
    given(registered, retired)
      .when(updating({ name: 'Doors' }))
      .refused('addon-retired');
  });
});

test('PG-08: what an operator says about the verification is recorded once, with or without other changes', () => {
  const set = (verified: boolean): AddonEvent => ({
    type: 'AddonVerificationSet',
    data: { verified, at: 4 },
  });
  given(registered)
    .when(updating({ verified: true }))
    .accepted(set(true));
  given(registered)
    .when(updating({ verified: false }))
    .accepted();
  given(registered, set(true))
    .when(updating({ verified: true }))
    .accepted();
  given(registered, set(true))
    .when(updating({ name: 'Doors' }))
    .accepted(updated({ name: 'Doors' }));
  given(registered, set(true))
    .when(updating({ name: 'Doors', verified: false }))
    .accepted(updated({ name: 'Doors' }), set(false));
});

describe('a retirement', () => {
  const retiring = (addon: AddonState) => retireAddon(addon, { now: 5 });

  test('AM-12: is permanent, and happens once', () => {
    given().when(retiring).refused('addon-unknown');
    given(registered).when(retiring).accepted(retired);
    given(registered, retired).when(retiring).accepted();
    for (const change of [resumeAddon, suspendAddon])
      given(registered, retired)
        .when((addon) => change(addon, { now: 6 }))
        .refused('addon-retired');
  });
});

describe('AM-12: a flow under way', () => {
  const addon = {
    redirectUris: ['https://doors.example/callback', 'http://127.0.0.1/callback'],
    allowedScopes: ['profiles:read'],
  } as const;
  test.each([
    ['https://doors.example/callback', ['profiles:read'], null],
    ['http://127.0.0.1:4711/callback', [], null],
    ['https://doors.example/removed', ['profiles:read'], 'redirect-uri-removed'],
    ['https://doors.example/callback', ['profiles:read', 'access-rights:read'], 'scope-removed'],
  ] as const)('to %s for %j: %s', (redirectUri, scopes, expected) => {
    expect(withdrawnFrom(addon, { redirectUri, scopes })).toBe(expected);
  });
});

test('FX-93: a logo is PNG, JPEG or WebP, by its content, and never SVG', () => {
  const typeOf = (content: string) => logoIn(Buffer.from(content, 'latin1').toString('base64'))?.mediaType;
  expect(typeOf('\x89PNG\r\n\x1a\n')).toBe('image/png');
  expect(typeOf('\xff\xd8\xff\xe0')).toBe('image/jpeg');
  for (const size of ['\0\0\0\0', '\x1a\0\0\0', '\xff\xff\xff\xff'])
    expect(typeOf(`RIFF${size}WEBPVP8L`)).toBe('image/webp');
  for (const other of ['<svg>', '<?xml version="1.0"?><svg>', 'RIFF\0\0\0\0WAVEfmt ', ''])
    expect(typeOf(other)).toBeUndefined();
});
