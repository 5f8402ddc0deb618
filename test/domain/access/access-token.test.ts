import { expect, test } from 'vitest';
import {
  accessTokenDecider,
  accessTokenOf,
  revokeAccessToken,
} from '../../../src/domain/access/access-token.ts';
import { fold } from '../../../src/domain/kernel/decision.ts';
import { type GrantEvent, grantDecider } from '../../../src/domain/access/grant.ts';
import { scenariosOf } from '../../support/memory/given.ts';
import { codeIssued, codeRedeemed, grantRevoked, t0, tokensRefreshed } from '../../support/scenes/grants.ts';

const ended = (rotation: number): GrantEvent => ({ type: 'AccessTokenRevoked', data: { rotation, at: t0 } });
const given = scenariosOf(accessTokenDecider(1));

test('RV-05: the end of one access token is not the end of another', () => {
  expect(given(ended(1)).state).toBe('revoked');
  expect(given(ended(0), ended(2)).state).toBe('none');
});

test('RV-05, RV-07: it ends once, and ending it again changes nothing', () => {
  const revoke = (state: 'none' | 'issued' | 'revoked') =>
    given().when(() => revokeAccessToken(state, { rotation: 1, now: t0 }));
  revoke('issued').accepted(ended(1));
  revoke('revoked').accepted();
  revoke('none').refused('token-unknown');
});

test.each([
  ['of a live grant', [codeRedeemed(t0)], 0, 'issued'],
  ['that was rotated away', [codeRedeemed(t0), tokensRefreshed(1, t0)], 0, 'issued'],
  ['of a rotation to come', [codeRedeemed(t0)], 1, 'none'],
  ['of a code that was not redeemed', [], 0, 'none'],
  ['of a grant that has ended', [codeRedeemed(t0), grantRevoked('revoked-by-addon', t0)], 0, 'revoked'],
] as const)('an access token %s', (_which, events, rotation, state) => {
  const grant = fold(grantDecider, [codeIssued, ...events]);
  expect(accessTokenOf(grant, { rotation, isRevoked: false })).toBe(state);
  const revoked = accessTokenOf(grant, { rotation, isRevoked: true });
  expect(revoked).toBe(state === 'issued' ? 'revoked' : state);
});
