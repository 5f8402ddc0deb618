import { describe, expect, test } from 'vitest';
import {
  dependsOnOutage,
  type Refresh,
  refreshTokens,
  withholdTokens,
} from '../../../src/domain/access/grant-refresh.ts';
import { revokeGrant } from '../../../src/domain/access/grant-revoke.ts';
import { type Grant, type GrantEvent, grantDecider } from '../../../src/domain/access/grant.ts';
import { scenariosOf } from '../../support/memory/given.ts';
import {
  codeIssued,
  codeRedeemed,
  days,
  grantRevoked,
  lifetimes,
  seconds,
  t0,
  terms,
  tokensRefreshed,
} from '../../support/scenes/grants.ts';

const given = scenariosOf(grantDecider);
const live = [codeIssued, codeRedeemed(t0)] as const;
const t1 = t0 + seconds(1800);

const usual: Refresh = {
  addonId: terms.addonId,
  rotation: 0,
  scopes: null,
  resources: null,
  keyId: 'k1',
  salt: 'salt1',
  now: t1,
  fence: null,
  rotationsPerHour: 0,
  outage: 0,
  lifetimes,
};

const refreshing =
  (changes: Partial<Refresh> = {}) =>
  (grant: Grant) =>
    refreshTokens(grant, { ...usual, ...changes });

const reused = (rotation: number, at: number): readonly GrantEvent[] => [
  { type: 'RefreshTokenReused', data: { rotation, at } },
  grantRevoked('refresh-token-reused', at),
];

/** The rotations of the hour that began then, and the rejections that were remembered. */
const counting = (rotations: number, { began = t0, rejections = 0 } = {}) => ({
  counts: { rejections, hour: { began, rotations } },
});

const details = ['openid', 'profile', 'email'] as const;

describe('a refresh', () => {
  test('RT-02: makes the next pair and supersedes the presented one', () => {
    given(...live)
      .when(refreshing())
      .accepted(tokensRefreshed(1, t1, counting(1)));
    given(...live, tokensRefreshed(1, t1))
      .when(refreshing({ rotation: 1, salt: 'salt2', now: t1 + 1 }))
      .accepted(tokensRefreshed(2, t1 + 1, counting(2)));
  });

  test('RT-01: needs a code that was redeemed', () => {
    given().when(refreshing()).refused('token-unknown');
    given(codeIssued).when(refreshing()).refused('token-unknown');
  });

  test('RT-01: of a rotation that never was is unknown', () => {
    given(...live)
      .when(refreshing({ rotation: 1 }))
      .refused('token-unknown');
  });

  test('RT-01: of a revoked grant is refused', () => {
    given(...live, grantRevoked('code-replayed', t0))
      .when(refreshing())
      .refused('grant-revoked');
  });

  test('RT-12: by another client is refused and remembered, and the family lives on', () => {
    const foreign: GrantEvent = {
      type: 'RefreshRejected',
      data: { rotation: 0, reason: 'token-of-another-client', at: t1 },
    };
    given(...live)
      .when(refreshing({ addonId: 'another' }))
      .refused('token-of-another-client', foreign);
    given(...live, foreign)
      .when(refreshing())
      .accepted(tokensRefreshed(1, t1, counting(1, { rejections: 1 })));
    const often = Array.from({ length: 10 }, () => foreign);
    given(...live, ...often)
      .when(refreshing({ addonId: 'another' }))
      .refused('token-of-another-client');
  });

  test.each([
    ['token-revoked', 'grant-revoked'],
    ['addon-deactivated', 'addon-deactivated'],
    ['account-disabled', 'account-disabled'],
  ] as const)('RT-16, RT-17: behind a fence that says %s is refused, also as a repeat', (fence, refusal) => {
    given(...live)
      .when(refreshing({ fence }))
      .refused(refusal);
    given(...live, tokensRefreshed(1, t1, { salt: 'another' }))
      .when(refreshing({ fence }))
      .refused(refusal);
  });
});

describe('a superseded refresh token', () => {
  const rotated = [...live, tokensRefreshed(1, t1, { salt: 'another' })] as const;
  const graceEnds = t1 + lifetimes.refreshGrace;
  const withheld: GrantEvent = { type: 'TokensWithheld', data: { rotation: 1, at: t1 } };

  test('SU-01: of a suspended add-on is refused, and remembered once if it would have been answered', () => {
    const fence = 'addon-suspended';
    given(...live)
      .when(refreshing({ fence }))
      .refused(fence);
    given(...rotated)
      .when(refreshing({ fence }))
      .refused(fence, withheld);
    given(...rotated, withheld)
      .when(refreshing({ fence, now: graceEnds }))
      .refused(fence);
    given(...rotated)
      .when(refreshing({ fence, now: graceEnds }))
      .refused('token-reused', ...reused(0, graceEnds));
  });

  test('SU-01: is answered after a suspension, however late, as long as the pair lives and is unused', () => {
    const idleEnds = t1 + lifetimes.refreshIdle;
    given(...rotated, withheld)
      .when(refreshing({ now: idleEnds - 1 }))
      .accepted();
    given(...rotated, withheld)
      .when(refreshing({ now: idleEnds }))
      .refused('token-expired');
    const used = tokensRefreshed(2, t1 + 1, { salt: 'third' });
    given(...rotated, withheld, used)
      .when(refreshing({ now: t1 + 2 }))
      .refused('token-reused', ...reused(0, t1 + 2));
    given(...rotated, withheld, used)
      .when(refreshing({ rotation: 1, now: t1 + 1 + lifetimes.refreshGrace }))
      .refused('token-reused', ...reused(1, t1 + 1 + lifetimes.refreshGrace));
  });

  test('SU-01: only the pair that was kept back is marked, and not one that has been used since', () => {
    const keeping = (grant: Grant) => withholdTokens(grant, { rotation: 1, now: t1 });
    given(...rotated)
      .when(keeping)
      .accepted(withheld);
    given(...rotated, withheld)
      .when(keeping)
      .accepted();
    given(...rotated, tokensRefreshed(2, t1 + 1))
      .when(keeping)
      .accepted();
    given(...rotated, grantRevoked('addon-deactivated', t1))
      .when(keeping)
      .accepted();
    given(...live)
      .when((grant) => withholdTokens(grant, { rotation: 0, now: t1 }))
      .accepted();
  });

  test('RT-04, RT-09: may ask for less within the grace, for nothing outside the grant or outside the successor', () => {
    given(...rotated)
      .when(refreshing({ scopes: ['openid'] }))
      .accepted();
    given(...rotated)
      .when(refreshing({ scopes: ['openid', 'reservations:read'] }))
      .refused('scope-too-wide');
    given(...live, tokensRefreshed(1, t1, { salt: 'another', scopes: ['openid'] }))
      .when(refreshing({ scopes: terms.scopes.filter((scope) => scope !== 'openid') }))
      .refused('scope-too-wide');
  });

  test('FX-24: openid in a refresh is itself alone', () => {
    const issued = { ...codeIssued, data: { ...terms, scopes: details } } as GrantEvent;
    given(issued, codeRedeemed(t0))
      .when(refreshing({ scopes: ['openid'] }))
      .accepted(tokensRefreshed(1, t1, { ...counting(1), scopes: ['openid'] }));
  });

  test('RT-04: gets the same successor again within the grace, and nothing is remembered', () => {
    given(...rotated)
      .when(refreshing({ now: graceEnds - 1 }))
      .accepted();
  });

  test('RT-03: ends the whole family after the grace', () => {
    given(...rotated)
      .when(refreshing({ now: graceEnds }))
      .refused('token-reused', ...reused(0, graceEnds));
  });

  test('RT-05, RT-06: ends the family once its successor was used, grace or not', () => {
    given(...rotated, tokensRefreshed(2, t1 + 1))
      .when(refreshing({ now: t1 + 2 }))
      .refused('token-reused', ...reused(0, t1 + 2));
  });

  test('RT-13: has ended with the family although the grace goes on', () => {
    const end = t0 + lifetimes.refreshAbsolute;
    const busy = Array.from({ length: 13 }, (_, index) =>
      tokensRefreshed(index + 1, t0 + days(28) * (index + 1)),
    );
    const late = tokensRefreshed(14, end - 1);
    const presented = { rotation: 13, salt: 'salt15' };
    given(...live, ...busy, late)
      .when(refreshing({ ...presented, now: end - 1 }))
      .accepted();
    given(...live, ...busy, late)
      .when(refreshing({ ...presented, now: end }))
      .refused('token-expired');
  });

  test('RT-07: with grace 0 is a reuse in the very same millisecond', () => {
    given(...live, tokensRefreshed(1, t1, { salt: 'another', grace: 0 }))
      .when(refreshing({ now: t1, lifetimes: { ...lifetimes, refreshGrace: 0 } }))
      .refused('token-reused', ...reused(0, t1));
  });

  test('RT-03: ends the family even when it would have expired by itself', () => {
    const late = t0 + lifetimes.refreshIdle + days(1);
    given(...live, tokensRefreshed(1, t0 + days(20), { salt: 'another' }))
      .when(refreshing({ now: late }))
      .refused('token-reused', ...reused(0, late));
  });

  test('TC-14: is answered to the request whose refresh it was, also without any grace', () => {
    given(...live, tokensRefreshed(1, t1, { salt: 'mine', grace: 0 }))
      .when(refreshing({ salt: 'mine', now: graceEnds }))
      .accepted();
  });

  test('of a request whose own successor was used meanwhile is refused, yet is no theft', () => {
    given(...live, tokensRefreshed(1, t1, { salt: 'mine' }), tokensRefreshed(2, t1 + 1))
      .when(refreshing({ salt: 'mine', now: t1 + 2 }))
      .refused('token-reused');
  });
});

describe('scopes of a refresh', () => {
  test('RT-09: may be fewer, and a later refresh without scope gets all again', () => {
    const narrowed = tokensRefreshed(1, t1, { scopes: ['openid'], ...counting(1) });
    given(...live)
      .when(refreshing({ scopes: ['openid'] }))
      .accepted(narrowed);
    given(...live, narrowed)
      .when(refreshing({ rotation: 1, salt: 'salt2' }))
      .accepted(tokensRefreshed(2, t1, counting(2)));
  });

  test('RT-10, RT-11: may not be more, and the presented token stays usable', () => {
    given(...live)
      .when(refreshing({ scopes: ['openid', 'profiles:read'] }))
      .refused('scope-too-wide');
  });
});

describe('lifetimes of a refresh token', () => {
  test('RT-13: the idle lifetime restarts with each rotation', () => {
    const almost = t0 + lifetimes.refreshIdle - 1;
    given(...live)
      .when(refreshing({ now: almost }))
      .accepted(tokensRefreshed(1, almost, counting(1, { began: almost })));
    given(...live)
      .when(refreshing({ now: almost + 1 }))
      .refused('token-expired');
  });

  test('RT-13: the absolute lifetime never moves, and no token outlives it', () => {
    const end = t0 + lifetimes.refreshAbsolute;
    const busy = Array.from({ length: 13 }, (_, index) =>
      tokensRefreshed(index + 1, t0 + days(28) * (index + 1)),
    );
    const last = { rotation: 13, salt: 'salt14' };
    const { events } = refreshing({ ...last, now: end - 1 })(given(...live, ...busy).state);
    expect(events[0]?.data).toMatchObject({ accessExpiresAt: end, refreshIdleExpiresAt: end });
    given(...live, ...busy)
      .when(refreshing({ ...last, now: end }))
      .refused('token-expired');
  });
});

describe('revoking a grant', () => {
  const revoking = (grant: Grant) => revokeGrant(grant, { reason: 'addon-deactivated', now: t1 });

  test('ends it whether its code was redeemed or not', () => {
    given(codeIssued).when(revoking).accepted(grantRevoked('addon-deactivated', t1));
    given(...live)
      .when(revoking)
      .accepted(grantRevoked('addon-deactivated', t1));
  });

  test('RV-07: a second time changes nothing', () => {
    given(...live, grantRevoked('revoked-by-addon', t0))
      .when(revoking)
      .accepted();
  });

  test('that never was is refused', () => {
    given().when(revoking).refused('grant-unknown');
  });
});

test('a grant folds from any sequence of its events without an error', () => {
  const accessRevoked: GrantEvent = { type: 'AccessTokenRevoked', data: { rotation: 0, at: t0 } };
  const orphans = [accessRevoked, tokensRefreshed(1, t0), grantRevoked('code-replayed', t0)];
  expect(given(...orphans, codeRedeemed(t0)).state).toEqual({ status: 'none' });
  expect(given(...live, accessRevoked).state).toEqual(given(...live).state);
});

describe('OP-10: an outage does not count towards the grace', () => {
  const late = t1 + lifetimes.refreshGrace + seconds(50);
  const again = (changes: Partial<Refresh>) => refreshing({ salt: 'salt2', now: late, ...changes });
  const refreshed = [...live, tokensRefreshed(1, t1)] as const;
  const depends = (changes: Partial<Refresh>) =>
    dependsOnOutage(given(...refreshed).state, { ...usual, salt: 'salt2', now: late, ...changes });

  test('whoever comes after the grace is judged only when it is known how long one took', () => {
    expect(depends({})).toBe(true);
    expect(depends({ now: t1 + lifetimes.refreshGrace - 1 })).toBe(false);
    expect(depends({ salt: 'salt1' }), 'our own append').toBe(false);
    expect(depends({ addonId: 'another' })).toBe(false);
    expect(depends({ rotation: 1 })).toBe(false);
    given(...refreshed)
      .when(again({ outage: 0 }))
      .refused('token-reused', ...reused(0, late));
    given(...refreshed)
      .when(again({ outage: seconds(50) }))
      .refused('token-reused', ...reused(0, late));
    given(...refreshed)
      .when(again({ outage: seconds(50) + 1 }))
      .accepted();
  });

  test('no more of it than REFRESH_GRACE_OUTAGE, and nothing where that is 0', () => {
    const most = t1 + lifetimes.refreshGrace + lifetimes.refreshGraceOutage;
    const outage = days(1);
    given(...refreshed)
      .when(again({ outage, now: most - 1 }))
      .accepted();
    given(...refreshed)
      .when(again({ outage, now: most }))
      .refused('token-reused', ...reused(0, most));
    expect([depends({ now: most - 1 }), depends({ now: most })]).toEqual([true, false]);
    const none = { ...lifetimes, refreshGraceOutage: 0 };
    given(...refreshed)
      .when(again({ outage, lifetimes: none }))
      .refused('token-reused', ...reused(0, late));
  });

  test('RT-05, RT-06: what was used meanwhile is a reuse, however long it took', () => {
    given(...live, tokensRefreshed(1, t1), tokensRefreshed(2, t1 + 1))
      .when(again({ outage: days(1) }))
      .refused('token-reused', ...reused(0, late));
  });

  test('RT-07: strict single use stays strict: an outage is never longer than the time since the rotation', () => {
    given(...live, tokensRefreshed(1, t1, { grace: 0 }))
      .when(again({ now: t1 + seconds(9), outage: seconds(9) }))
      .refused('token-reused', ...reused(0, t1 + seconds(9)));
  });
});

describe('GR-03: rotations of one grant are limited', () => {
  const hour = 3_600_000;
  const twice = [...live, tokensRefreshed(1, t1), tokensRefreshed(2, t1 + 1)] as const;
  const third = (now: number, rotationsPerHour = 2) =>
    refreshing({ rotation: 2, salt: 'salt3', now, rotationsPerHour });

  test('one too many within the hour is refused, and leaves nothing behind: the family lives on', () => {
    given(...twice)
      .when(third(t0 + hour - 1))
      .refused('rotated-too-often');
    given(...twice)
      .when(third(t0 + hour))
      .accepted(tokensRefreshed(3, t0 + hour, counting(1, { began: t0 + hour })));
    given(...twice)
      .when(third(t1 + 2, 3))
      .accepted(tokensRefreshed(3, t1 + 2, counting(3)));
  });

  test('0 switches it off', () => {
    given(...twice)
      .when(third(t1 + 2, 0))
      .accepted(tokensRefreshed(3, t1 + 2, counting(3)));
  });

  test('a repeat inside the grace is no rotation, and a reuse is found as ever', () => {
    given(...twice)
      .when(refreshing({ rotation: 1, now: t1 + 2, rotationsPerHour: 2 }))
      .accepted();
    given(...twice)
      .when(refreshing({ rotation: 0, salt: 'salt9', now: t1 + 2, rotationsPerHour: 2 }))
      .refused('token-reused', ...reused(0, t1 + 2));
  });

  test('an hour begins with the first rotation after the one before', () => {
    const next = t0 + 3 * hour;
    const later = [
      ...twice,
      tokensRefreshed(3, next, counting(1, { began: next })),
      tokensRefreshed(4, next + 1, counting(2, { began: next })),
    ] as const;
    const fifth = (now: number) => refreshing({ rotation: 4, salt: 'salt5', now, rotationsPerHour: 2 });
    given(...later)
      .when(fifth(next + hour - 1))
      .refused('rotated-too-often');
    given(...later)
      .when(fifth(next + hour))
      .accepted(tokensRefreshed(5, next + hour, counting(1, { began: next + hour })));
  });
});
