import { expect, test } from 'vitest';
import { tailStart } from '../../../src/domain/access/grant-tail.ts';
import { codeRedeemed, grantRevoked, t0, tokensRefreshed } from '../../support/scenes/grants.ts';

const redeemed = codeRedeemed(t0);
const [first, second] = [tokensRefreshed(1, t0), tokensRefreshed(2, t0)];

test.each([
  ['from the end of the grant', [redeemed, first, grantRevoked('revoked-by-addon', t0)], 2],
  ['from the pair before the newest rotation', [redeemed, first, second], 1],
  ['from the redemption, where nothing was rotated before', [redeemed, first], 0],
  ['not with a rotation alone: the pair before it is needed', [second], null],
  ['not without a rotation', [redeemed], null],
] as const)('GR-01: the newest events are enough %s', (_where, events, start) => {
  expect(tailStart(events)).toBe(start);
});
