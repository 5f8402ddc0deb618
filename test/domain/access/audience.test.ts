import { describe, expect, test } from 'vitest';
import {
  audienceAmong,
  isWithinAudience,
  ownApi,
  resourcesAmong,
  type Audience,
} from '../../../src/domain/access/audience.ts';
import { exchangeCode } from '../../../src/domain/access/grant-exchange.ts';
import { answeredResources, refreshTokens } from '../../../src/domain/access/grant-refresh.ts';
import { grantDecider, type Grant, type GrantEvent } from '../../../src/domain/access/grant.ts';
import { scenariosOf } from '../../support/memory/given.ts';
import {
  challenge,
  codeIssued,
  codeRedeemed,
  lifetimes,
  seconds,
  t0,
  terms,
  tokensRefreshed,
  verifier,
} from '../../support/scenes/grants.ts';

const doors = 'https://doors.example/api';
const lamps = 'urn:lamps';
const issuedFor = (resources: readonly string[]): GrantEvent => ({
  type: 'AuthorizationCodeIssued',
  data: { ...terms, resources },
});
const given = scenariosOf(grantDecider);
const pair = {
  addonId: terms.addonId,
  keyId: 'k1',
  salt: 'salt1',
  now: t0,
  fence: null,
  withdrawn: null,
  rotationsPerHour: 0,
  outage: 0,
  lifetimes,
};

describe('what an access token is for', () => {
  test.each<[readonly string[], readonly string[] | null, Audience, readonly string[]]>([
    [[], null, { ownApi: true, among: 1 }, [ownApi]],
    [[], [ownApi], { ownApi: true, among: 1 }, [ownApi]],
    [[doors], null, { ownApi: false, among: 1 }, [doors]],
    [[doors, ownApi, lamps], null, { ownApi: true, among: 7 }, [doors, ownApi, lamps]],
    [[doors, ownApi, lamps], [lamps, doors], { ownApi: false, among: 5 }, [doors, lamps]],
    [[doors, ownApi, lamps], [ownApi], { ownApi: true, among: 2 }, [ownApi]],
    [[doors, lamps], [], { ownApi: false, among: 0 }, []],
  ])('of a grant for %j, narrowed to %j', (resources, chosen, audience, named) => {
    expect(audienceAmong(resources, chosen)).toEqual(audience);
    expect(resourcesAmong(resources, audience)).toEqual(named);
  });

  test('RT-15: only what was granted may be asked for; without any, our own API was granted', () => {
    expect(isWithinAudience(null, [doors])).toBe(true);
    expect(isWithinAudience([doors], [lamps, doors])).toBe(true);
    expect(isWithinAudience([doors], [])).toBe(false);
    expect(isWithinAudience([ownApi], [])).toBe(true);
    expect(isWithinAudience([ownApi], [doors])).toBe(false);
    expect(isWithinAudience([doors, 'https://doors.example/api/'], [doors])).toBe(false);
  });
});

describe('an exchange', () => {
  const exchanging = (resources: readonly string[] | null) => (grant: Grant) =>
    exchangeCode(grant, {
      ...pair,
      redirectUri: terms.redirectUri,
      codeVerifier: verifier,
      computedChallenge: challenge,
      salt: 'salt0',
      resources,
    });
  const redeemedFor = (resources: readonly string[] | null): GrantEvent => {
    const event = codeRedeemed(t0);
    if (event.type !== 'AuthorizationCodeRedeemed') throw new Error('not a redemption');
    return { type: event.type, data: { ...event.data, resources } };
  };

  test('RT-15: remembers what its access token is narrowed to', () => {
    given(issuedFor([doors, lamps]))
      .when(exchanging([lamps]))
      .accepted(redeemedFor([lamps]));
    given(issuedFor([doors, lamps]))
      .when(exchanging(null))
      .accepted(redeemedFor(null));
  });

  test('AZ-53, RT-15: for anything else is refused, and the code can still be redeemed', () => {
    given(issuedFor([doors]))
      .when(exchanging([lamps]))
      .refused('resource-not-granted');
    given(codeIssued)
      .when(exchanging([doors]))
      .refused('resource-not-granted');
  });
});

const countOf = (rotations: number) => ({ rejections: 0, hour: { began: t0, rotations } });

describe('a refresh', () => {
  const refreshing =
    (resources: readonly string[] | null, rotation = 0) =>
    (grant: Grant) =>
      refreshTokens(grant, { ...pair, rotation, scopes: null, resources });
  const live = [issuedFor([doors, lamps]), codeRedeemed(t0)] as const;

  test('RT-15: narrows its own access token only; the next one without `resource` is for all again', () => {
    given(...live)
      .when(refreshing([doors]))
      .accepted(tokensRefreshed(1, t0, { resources: [doors], counts: countOf(1) }));
    given(...live, tokensRefreshed(1, t0, { salt: 'other', resources: [doors] }))
      .when(refreshing(null, 1))
      .accepted(tokensRefreshed(2, t0, { salt: 'salt1', counts: countOf(2) }));
  });

  test('RT-11, RT-15: for more is refused, and the token is not used up', () => {
    given(...live)
      .when(refreshing([doors, 'urn:more']))
      .refused('resource-not-granted');
  });

  test('RT-04, RT-15: repeated inside the grace gets what both have in common, or nothing at all', () => {
    const rotated = given(...live, tokensRefreshed(1, t0, { salt: 'other', resources: [doors] }));
    rotated.when(refreshing(null)).accepted();
    rotated.when(refreshing([doors, lamps])).accepted();
    rotated.when(refreshing([lamps])).refused('resource-not-granted');
    const grant = rotated.state;
    if (grant.status !== 'live') throw new Error('the grant is not live');
    expect(answeredResources(grant, null)).toEqual([doors]);
    expect(answeredResources(grant, [doors, lamps])).toEqual([doors]);
    const whole = { ...grant, current: { ...grant.current, resources: null } };
    expect(answeredResources(whole, [lamps])).toEqual([lamps]);
    expect(answeredResources(whole, null)).toBeNull();
  });

  test('RT-03: for more than was granted after the grace is a reuse all the same', () => {
    const late = t0 + lifetimes.refreshGrace + seconds(1);
    const decided = given(...live, tokensRefreshed(1, t0, { salt: 'other' })).when((grant: Grant) =>
      refreshTokens(grant, { ...pair, rotation: 0, scopes: null, resources: ['urn:more'], now: late }),
    );
    decided.refused(
      'token-reused',
      { type: 'RefreshTokenReused', data: { rotation: 0, at: late } },
      { type: 'GrantRevoked', data: { reason: 'refresh-token-reused', at: late } },
    );
  });
});
