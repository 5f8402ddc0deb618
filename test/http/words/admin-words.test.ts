import { expect, test } from 'vitest';
import { addonGrantsPage } from '../../../src/http/admin/views/addon-grants-page.ts';
import { addonPage, type AddonView } from '../../../src/http/admin/views/addon-page.ts';
import { addonLists, addonsPage } from '../../../src/http/admin/views/addons-page.ts';
import { deactivatePage, receiptPage } from '../../../src/http/admin/views/deactivation-pages.ts';
import { organizationsPage } from '../../../src/http/admin/views/organizations-page.ts';
import { allowPage } from '../../../src/http/command-line/views/allow-page.ts';
import { brandView } from '../../../src/http/pages/brand-view.ts';
import { makeReader } from '../../../src/http/words/reader.ts';
import { outsideOf, third } from '../../support/documents/third-language.ts';
import { eachWebAddress } from '../../../src/domain/addons/web-addresses.ts';

const time = '2026-05-03T16:20:05.000Z';
const at = Date.parse(time);
const form = {
  base: '',
  brand: brandView(null),
  signedIn: 'Ada',
  csrf: 'c',
  reader: makeReader(third, 'UTC', at),
};
const organization = { organizationId: '1', name: 'Harbour', isClosed: true };
const by = '01JZZZZZZZZZZZZZZZZZZZZZZX';
const done = { by, at, position: { commit: 1n, prepare: 1n } };
const epoch = { epoch: 2, activated: done, deactivated: done, revokedGrants: null, revokedAt: null };
const scopes = ['profiles:read'] as const;
const held = { liveGrants: 2, unredeemedCodes: 1, approvers: 1, scopes, lastTokenAt: time, notRevoked: 3 };
const addon = {
  addonId: '2',
  name: 'Door',
  publisher: 'Doors',
  verified: true,
  registeredAt: at,
  ...eachWebAddress(() => null),
  website: 'https://door.example/',
  supportUrl: 'https://door.example/help',
  configurationUrl: 'https://door.example/configure',
  allowedScopes: scopes,
  suspended: true,
  retired: true,
};
const facts = {
  ...form,
  organization,
  addon,
  epoch,
  held,
  activation: { status: 'active', epoch: 2, history: [epoch] },
  refusedEverywhere: false,
  approvals: [{ userId: by, name: 'Ada', ...held }],
  names: new Map([[by, 'Ada']]),
  logo: null,
  warnings: {
    alike: [
      { kind: 'addon', id: '3', name: 'Door' },
      { kind: 'publisher', id: '4', name: 'Doors' },
    ],
    changes: [
      { addonId: '2', type: 'AddonChangeApproved', at },
      { addonId: '2', type: 'AddonSecretAdded', at },
    ],
  },
  told: {
    method: 'push',
    status: 'paused',
    pushesFailed: true,
    waiting: 1,
    oldestWaitingAt: at,
    delivered: 3,
    lastDeliveredAt: at,
    lastError: 'answered 400',
  },
} as unknown as AddonView & { readonly epoch: typeof epoch };

const listed = (status: 'never-activated' | 'active' | 'deactivated') => ({
  ...held,
  ...addon,
  suspended: false,
  retired: false,
  status,
  hasLogo: false,
  epoch: 1,
  activatedBy: 'break-glass',
  activatedByName: null,
  activatedAt: time,
  deactivatedBy: by,
  deactivatedByName: 'Ada',
  deactivatedAt: time,
  revokedGrants: null,
});
const grant = { grantId: 'g', allowedBy: 'Ada', scopes, issuedAt: time, lastTokenAt: null, lastReadAt: time };
const counts = { active: 1, grants: 2, failing: 1 };
const noted = Array.from({ length: 7 }, (_, n) => ({ addonId: `${n}`, name: 'Door' }));
const signed = {
  organizationId: '1',
  addonId: '2',
  epoch: 2,
  fencedAt: at,
  ended: { liveGrants: 2, unredeemedCodes: 1, approvers: 1 },
};

/** What programs say, in every language. */
const ofApi = ['client_id', 'organization_id'];

const pages = {
  organizations: organizationsPage({
    ...form,
    organizations: [
      {
        ...organization,
        counts,
        noted: { unfinished: noted, failing: noted, alike: noted, changed: noted, unused: noted },
      },
    ],
  }),
  'no organizations': organizationsPage({ ...form, organizations: [] }),
  ...Object.fromEntries(
    addonLists.map((list) => [
      list,
      addonsPage({
        ...form,
        organization,
        list,
        search: '',
        sort: 'name',
        unreachable: new Set(['2']),
        problem: null,
        addons: (['never-activated', 'active', 'deactivated'] as const).map(listed),
      }),
    ]),
  ),
  'add-on': addonPage(facts),
  'deactivated add-on': addonPage({ ...facts, activation: { ...facts.activation, status: 'deactivated' } }),
  question: deactivatePage(facts),
  receipt: receiptPage({ ...facts, deactivated: done, signed }),
  'no receipt': receiptPage({ ...facts, deactivated: done, signed: null }),
  grants: addonGrantsPage({
    ...form,
    organization,
    addon,
    next: 'g',
    unusedDays: 90,
    grants: [{ ...grant, isUnused: true }],
  }),
  'command line': allowPage({
    ...form,
    action: '/',
    email: 'ada@door.example',
    roles: ['operator', 'auditor'],
    mayAllow: true,
  }),
};

test.each(Object.entries(pages))(
  'PG-11: in a made-up third language a page of administrators has no text of another: %s',
  (_, html) => {
    expect(html).toContain('<html lang="x-marked">');
    expect(outsideOf(html).filter((text) => !ofApi.includes(text))).toEqual([]);
  },
);
