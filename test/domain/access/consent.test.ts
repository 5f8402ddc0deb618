import { expect, test } from 'vitest';
import { ownApi } from '../../../src/domain/access/audience.ts';
import {
  approveScopes,
  consentDecider,
  rememberedChoice,
  rememberedScopes,
  withdrawConsent,
  type Consent,
  type ConsentEvent,
} from '../../../src/domain/access/consent.ts';
import type { Scope } from '../../../src/domain/access/scope.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(consentDecider);
const now = 1_800_000_000_000;

const approved = (
  scopes: readonly Scope[],
  { userId = 'ada', epoch = 1, choice = null as string | null } = {},
): ConsentEvent => ({
  type: 'ScopesApproved',
  data: { userId, addonId: 'addon', scopes, epoch, choice, at: now },
});
const approving =
  (scopes: readonly Scope[], epoch = 1) =>
  (consent: Consent) =>
    approveScopes(consent, { userId: 'ada', addonId: 'addon', scopes, epoch, now });

const remembered = (events: readonly ConsentEvent[], userId = 'ada', epoch = 1) =>
  rememberedScopes(given(...events).state, { userId, epoch });

test('AC-05: what was approved is remembered, and approvals add up', () => {
  expect(remembered([approved(['profiles:read']), approved(['openid'])])).toEqual([
    'openid',
    'profiles:read',
  ]);
});

test('AC-05: approving what is remembered already changes nothing, a wider approval is remembered', () => {
  given(approved(['openid', 'profiles:read']))
    .when(approving(['openid']))
    .accepted();
  given(approved(['openid']))
    .when(approving(['openid', 'profiles:read']))
    .accepted(approved(['openid', 'profiles:read']));
});

test('CL-06: what was approved for one audience counts for no other, in any order', () => {
  const at = (audience: string, scopes: readonly Scope[]): ConsentEvent => ({
    type: 'AudienceApproved',
    data: { userId: 'ada', addonId: 'addon', audience, scopes, epoch: 1, choice: null, at: now },
  });
  const both = { userId: 'ada', addonId: 'addon', epoch: 1, now, audiences: [ownApi, 'urn:doors'] };
  given(approved(['openid']))
    .when((consent) => approveScopes(consent, { ...both, scopes: ['openid'] }))
    .accepted(at('urn:doors', ['openid']));
  const { state } = given(approved(['openid', 'profiles:read']), at('urn:doors', ['profiles:read']));
  const asked = { userId: 'ada', epoch: 1 };
  expect(rememberedScopes(state, asked)).toEqual(['openid', 'profiles:read']);
  expect(rememberedScopes(state, { ...asked, audiences: ['urn:doors'] })).toEqual(['profiles:read']);
  expect(rememberedScopes(state, { ...asked, audiences: [ownApi, 'urn:lamps'] })).toEqual([]);
  expect(rememberedScopes(state, { ...asked, epoch: 2, audiences: ['urn:doors'] })).toEqual([]);
});

test('an approval of no scope is remembered once', () => {
  given().when(approving([])).accepted(approved([]));
  given(approved([])).when(approving([])).accepted();
});

test('S5, DE-05: an approval of an older epoch counts for nothing', () => {
  expect(remembered([approved(['openid'])], 'ada', 2)).toEqual([]);
  given(approved(['openid']))
    .when(approving(['openid'], 2))
    .accepted(approved(['openid'], { epoch: 2 }));
  const twoEpochs = [approved(['openid']), approved(['profiles:read'], { epoch: 2 })];
  expect(remembered(twoEpochs, 'ada', 2)).toEqual(['profiles:read']);
});

test("one user's approval is not another's", () => {
  const both = [approved(['openid']), approved(['profiles:read'], { userId: 'bob' })];
  expect(remembered(both)).toEqual(['openid']);
  expect(remembered(both, 'bob')).toEqual(['profiles:read']);
  expect(remembered(both, 'eve')).toEqual([]);
});

test('a withdrawal forgets that user only', () => {
  const withdrawn: ConsentEvent = {
    type: 'ConsentWithdrawn',
    data: { userId: 'ada', addonId: 'addon', epoch: 1, at: now },
  };
  const events = [approved(['openid']), approved(['openid'], { userId: 'bob' }), withdrawn];
  expect(remembered(events)).toEqual([]);
  expect(remembered(events, 'bob')).toEqual(['openid']);
});

test('AC-05: withdrawals of a user are counted; without an approval there is nothing to withdraw', () => {
  const withdrawing = (consent: Consent) =>
    withdrawConsent(consent, { userId: 'ada', addonId: 'addon', now });
  const withdrawn = (epoch: number, userId = 'ada'): ConsentEvent => ({
    type: 'ConsentWithdrawn',
    data: { userId, addonId: 'addon', epoch, at: now },
  });
  given().when(withdrawing).accepted();
  given(approved(['openid'], { userId: 'bob' }))
    .when(withdrawing)
    .accepted();
  given(approved([])).when(withdrawing).accepted(withdrawn(1));
  given(approved(['openid']), withdrawn(1))
    .when(withdrawing)
    .accepted();
  const again = [approved(['openid']), withdrawn(1), approved(['openid'], { epoch: 1 })];
  given(...again)
    .when(withdrawing)
    .accepted(withdrawn(2));
  const bobs = approved(['openid'], { userId: 'bob' });
  given(bobs, withdrawn(1, 'bob'), approved(['openid']))
    .when(withdrawing)
    .accepted(withdrawn(1));
});

test('FX-22: approving the same again is recorded if there were other subjects to choose from', () => {
  const approvingAmong = (choice: string | null) => (consent: Consent) =>
    approveScopes(consent, { userId: 'ada', addonId: 'addon', scopes: ['openid'], epoch: 1, choice, now });
  const among = (choice: string | null) => approved(['openid'], { choice });
  given(among('user')).when(approvingAmong('user')).accepted();
  given(among('user')).when(approvingAmong(null)).accepted();
  given(among('user')).when(approvingAmong('user and club')).accepted(among('user and club'));
  given(among(null)).when(approvingAmong('user')).accepted(among('user'));
  const { state } = given(among('user'), among('user and club'));
  const whose = { userId: 'ada', epoch: 1 };
  expect(rememberedChoice(state, whose)).toBe('user and club');
  expect(rememberedChoice(state, { ...whose, epoch: 2 })).toBeNull();
  expect(rememberedChoice(given(among('user'), approved(['openid'])).state, whose)).toBeNull();
});
