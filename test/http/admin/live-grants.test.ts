import { expect, onTestFinished, test } from 'vitest';
import type { HttpParts } from '../../../src/compose/server.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { apiAt, tokenOf, type Item } from '../../support/scenes/operator-api.ts';
import {
  activate,
  createUser,
  obtainCode,
  obtainTokens,
  refreshWith,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { words } from '../../support/scenes/pages.ts';
import { valueOf } from '../../support/outcomes.ts';

const day = 86_400_000;

/** Two live grants; one each that was revoked, expired by time or by lack of use, or was not exchanged yet; and a code that expired. */
const setStage = async () => {
  const lifetimes = { refreshIdle: 10 * day, refreshAbsolute: 15 * day };
  const parts: HttpParts[] = [];
  const around = (needs: HttpParts) => {
    parts.push(needs);
    return needs;
  };
  const http = await startHttpApp({ startAt: Date.now(), lifetimes, around });
  onTestFinished(() => http.close());
  const scene = await setScene(http, { name: 'Door Sync' });
  await activate(http, scene);
  const { organizationId, clientId: addonId, userId } = scene;
  const subject = `organization:${organizationId}`;
  const allow = async (scope: string, get = obtainTokens) =>
    get(http, scene, { browser: await signedIn(http, scene), subject, change: { scope } });
  const tooOld = await allow('access-rights:read');
  await allow('access-rights:read', obtainCode as never);
  http.advance(5 * day);
  await allow('access-rights:read');
  http.advance(3 * day);
  await refreshWith(http, scene, tooOld.refresh_token);
  http.advance(8 * day);
  await allow('access-rights:read');
  await http.settle();
  const about = { kind: 'organization', id: organizationId } as const;
  const page = { after: null, limit: 10 };
  const [revoked] = await http.readModels.grants({ about }, { ...page, isBack: true });
  const grantId = revoked?.grantId ?? '';
  valueOf(await http.commands.revokeGrantOfOrganization({ organizationId, addonId, grantId, by: userId }));
  await allow('profiles:read');
  await allow('profiles:read');
  await allow('profiles:read', obtainCode as never);
  await http.settle();
  await http.tellHistory();
  return { http, scene, about, page, timeline: parts[0]?.timeline };
};

test('FX-95: everywhere the same grants count as live: neither revoked nor expired ones, nor codes', async () => {
  const { http, scene, about, page, timeline } = await setStage();
  const { organizationId, clientId, userId } = scene;
  const { readModels } = http;
  const held = { liveGrants: 2, unredeemedCodes: 1, approvers: 1, scopes: ['profiles:read'] };
  expect
    .soft(await readModels.connections(organizationId, clientId, 1))
    .toMatchObject({ ...held, notRevoked: 6 });
  expect(await readModels.addonsOf(organizationId)).toMatchObject([held]);
  expect(await readModels.beginCount(organizationId, clientId)(1, 5_000)).toEqual({
    liveGrants: 2,
    unredeemedCodes: 1,
    approvers: 1,
  });
  expect
    .soft(await readModels.approvals(organizationId, clientId, 1))
    .toMatchObject([{ userId, liveGrants: 2, unredeemedCodes: 1 }]);
  const never = { since: 0, countedSince: 0 };
  expect(await readModels.activeAddons([organizationId], never)).toMatchObject([{ liveGrants: 2 }]);
  expect
    .soft(await readModels.countGrants({ about, state: 'active' }, 10))
    .toEqual({ count: 2, isMore: false });
  expect(await readModels.grants({ about, state: 'active' }, page)).toHaveLength(2);
  expect
    .soft(await readModels.countGrants({ about, state: 'expired' }, 10))
    .toEqual({ count: 3, isMore: false });

  const browser = await signedIn(http, scene);
  const textOf = async (url: string) => words((await browser.get(url)).body);
  const organization = `/admin/organizations/${organizationId}`;
  const addon = `${organization}/addons/${clientId}`;
  const said = '2 grants, approved by 1 person; 1 code never exchanged';
  expect(await textOf(addon)).toContain(`Grants ${said} Sees names and contact details`);
  expect(await textOf(`${addon}/deactivate`)).toContain('2 grants , approved by 1 person');
  expect((await browser.get(`${addon}/grants`)).body.match(/\/revoke"/g)).toHaveLength(2);
  expect(await textOf(organization)).toContain('D Door Sync profiles 2 ');
  expect(await textOf('/admin')).toMatch(/\b1 2\b/);
  const url = `/organizations/${organizationId}/addons/${clientId}/activation`;
  const cookies = Object.fromEntries(browser.cookies);
  const shown = await http.app.inject({ url, cookies });
  const counts = { live_grants: 2, unredeemed_codes: 1 };
  expect(shown.json()).toMatchObject({ ...counts, approvals: [counts], scopes: ['profiles:read'] });

  const olive = await createUser(http, 'olive@operator.example', [], { roles: ['operator'] });
  const api = apiAt(http, '/operator/api/', await tokenOf(http, olive));
  const listed = async (query: string) =>
    (await api('GET', `grants?${query}`)).json['items'] as readonly Item[];
  expect(await listed('state=active')).toHaveLength(2);
  expect(await listed('state=expired')).toHaveLength(3);
  const operator = await signedIn(http, { email: 'olive@operator.example' });
  expect(words((await operator.get('/operator')).body)).toMatch(/\b2 Grants|Grants 2\b/);

  const { bars = [] } = (await timeline?.grantBars({ about, to: Date.now() + 365 * day })) ?? {};
  const live = bars.filter(({ redeemedAt, endedAt }) => redeemedAt !== null && endedAt === null);
  expect([bars.length, live.length]).toEqual([7, 2]);

  const receipt = await browser.press(await browser.get(`${addon}/deactivate`), 'Deactivate');
  expect(words((await browser.follow(receipt)).body)).toContain(`Ended ${said}`);
});
