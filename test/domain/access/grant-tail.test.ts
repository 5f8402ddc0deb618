import { expect, test } from 'vitest';
import { tailStart } from '../../../src/domain/access/grant-tail.ts';
import { codeRedeemed, grantRevoked, t0, tokensRefreshed } from '../../support/scenes/grants.ts';

const counts = { rejections: 0, hour: { began: t0, rotations: 1 } };
const redeemed = codeRedeemed(t0);
const refreshed = tokensRefreshed(1, t0);
const counted = tokensRefreshed(2, t0, { counts });

test.each([
  ['from the end of the grant', [redeemed, counted, grantRevoked('revoked-by-addon', t0)], 2],
  ['from the pair before the newest count', [redeemed, refreshed, counted], 1],
  ['from the redemption, where nothing was rotated before', [redeemed, counted], 0],
  ['from the count itself, where a pair follows it', [counted, refreshed], 0],
  ['not with a count alone: the pair before it is needed', [counted], null],
  ['not without counts', [redeemed, refreshed, refreshed], null],
] as const)('GR-01: the newest events are enough %s', (_where, events, start) => {
  expect(tailStart(events)).toBe(start);
});
