import { expect, test } from 'vitest';
import {
  accessSubject,
  accountSubject,
  activationSubject,
  addonSubject,
  consentSubject,
  fenceSubjectsOf,
  grantSubject,
  isClosed,
  judgeFence,
  organizationSubject,
  type FenceRow,
  type FenceSubject,
  type Guarded,
} from '../../../src/domain/fence/fence.ts';

const organizations: Guarded = {
  grantId: 'g',
  addonId: 'a',
  userId: 'u',
  subject: { kind: 'organization', organizationId: 'o', epoch: 2 },
  rotation: 3,
};
const users: Guarded = { ...organizations, subject: { kind: 'user', userId: 'u', epoch: 0 } };

const row = (subject: FenceSubject, open: boolean, epoch = 0): FenceRow => ({
  subject,
  revision: 1n,
  epoch,
  open,
});
const active = row(activationSubject('o', 'a'), true, 2);

test("an organization's token is open while its activation is, at its epoch", () => {
  expect(judgeFence(organizations, [active])).toBeNull();
  expect(judgeFence(organizations, [{ ...active, open: false }])).toBe('addon-deactivated');
});

test('P1: an activation of another epoch is closed, whether older or newer', () => {
  expect(judgeFence(organizations, [{ ...active, epoch: 1 }])).toBe('addon-deactivated');
  expect(judgeFence(organizations, [{ ...active, epoch: 3 }])).toBe('addon-deactivated');
});

test('a missing activation row means closed, every other missing row open', () => {
  expect(judgeFence(organizations, [])).toBe('addon-deactivated');
  expect(judgeFence(users, [])).toBeNull();
});

test.each([
  [addonSubject('a'), 'addon-suspended'],
  [grantSubject('g'), 'token-revoked'],
  [accessSubject('g', 3), 'token-revoked'],
  [organizationSubject('o'), 'addon-deactivated'],
] as const)('a closed row %s refuses with %s', (subject, refusal) => {
  expect(judgeFence(organizations, [active, row(subject, false)])).toBe(refusal);
  expect(judgeFence(organizations, [active, row(subject, true)])).toBeNull();
});

test.each([
  ['without a row', [], false],
  ['while another is closed', [row(addonSubject('b'), false)], false],
  ['by an open row', [row(addonSubject('a'), true)], false],
  ['by a closed row', [row(addonSubject('a'), false)], true],
  ['while an event of it is parked', [{ ...row(addonSubject('a'), true), parked: true }], true],
] as const)('whether a subject is closed %s', (_when, rows, closed) => {
  expect(isClosed(rows, addonSubject('a'))).toBe(closed);
});

test('RV-05: the end of one access token is not the end of another', () => {
  expect(judgeFence(organizations, [active, row(accessSubject('g', 2), false)])).toBeNull();
});

test("AC-03: a disabled account ends the user's own tokens, not the organization's", () => {
  const disabled = row(accountSubject('u'), false);
  expect(judgeFence(users, [disabled])).toBe('account-disabled');
  expect(judgeFence(organizations, [active, disabled])).toBeNull();
});

test.each([
  ['a consent withdrawn since', 0, 1, 0],
  ['an account disabled and enabled since', 0, 0, 1],
  ['a withdrawal and a disabling since', 1, 1, 1],
  ['a later one of two withdrawals', 1, 2, 0],
  ['an epoch that is yet to come', 1, 0, 0],
])("P1, RT-17: %s permanently ends the user's own tokens", (_, epoch, withdrawals, disablings) => {
  const token: Guarded = { ...users, subject: { kind: 'user', userId: 'u', epoch } };
  const rows = [
    row(consentSubject('u', 'a'), true, withdrawals),
    row(accountSubject('u'), true, disablings),
  ].filter((each) => each.epoch > 0);
  expect(judgeFence(token, rows)).toBe('consent-withdrawn');
  const present: Guarded = {
    ...users,
    subject: { kind: 'user', userId: 'u', epoch: withdrawals + disablings },
  };
  expect(judgeFence(present, rows)).toBeNull();
});

test("AC-03: a user's withdrawal and disabling leave an organization's tokens alone", () => {
  const rows = [active, row(consentSubject('u', 'a'), true, 1), row(accountSubject('u'), true, 1)];
  expect(judgeFence({ ...organizations, needsApprover: true }, rows)).toBeNull();
});

test('TC-15: at the exchange the approving account counts for an organization too', () => {
  const exchange = { ...organizations, needsApprover: true };
  expect(judgeFence(exchange, [active, row(accountSubject('u'), false)])).toBe('account-disabled');
  expect(fenceSubjectsOf(exchange)).toContain(accountSubject('u'));
});

test('every row that is judged is among those that are read', () => {
  expect([...fenceSubjectsOf(organizations)].sort()).toEqual([
    'access:g.3',
    'activation:o.a',
    'addon:a',
    'grant:g',
    'organization:o',
  ]);
  expect([...fenceSubjectsOf(users)].sort()).toEqual([
    'access:g.3',
    'account:u',
    'addon:a',
    'consent:u.a',
    'grant:g',
  ]);
});
