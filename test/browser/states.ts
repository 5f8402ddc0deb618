import type { Page } from 'playwright-core';
import { valueOf } from '../support/outcomes.ts';
import { activate, authorizeUrl, obtainTokens, type Scene } from '../support/scenes/http-scene.ts';
import type { Stage, Who } from './stage.ts';

/** A page in a state that people meet. Nothing here goes by a name, so that names may be anything. */
export type State = {
  readonly name: string;
  readonly who: Who;
  /** Begins with "Error: " where a form has failed. */
  readonly title: RegExp;
  readonly open: (page: Page, stage: Stage) => Promise<void>;
};

const go =
  (path: string | ((stage: Stage) => string)): State['open'] =>
  async (page, stage) => {
    const sent = typeof path === 'string' ? path : path(stage);
    await page.goto(sent.startsWith('http') ? sent : stage.baseUrl + sent);
  };
const ask = (addon: keyof Stage['addons'], change: Record<string, string> = {}) =>
  go(({ addons }) => authorizeUrl(addons[addon], { prompt: 'consent', ...change }));
const submit = (page: Page) => page.locator('main button[type=submit]').first().click();
const ofHarbour = ({ harbour }: Stage) => `/admin/organizations/${harbour.organizationId}`;
const addonUrl = ({ addons }: Stage, addon: keyof Stage['addons']) =>
  `/admin/organizations/${addons[addon].organizationId}/addons/${addons[addon].clientId}`;
const historyUrl =
  (view: '/audit' | `/audit/${string}`, filters = '') =>
  ({ harbour }: Stage) =>
    `${view}?organization=${harbour.organizationId}${filters}`;
const exposureUrl = (stage: Stage) =>
  historyUrl('/audit/exposure', `&addon=${stage.addons.active.clientId}`)(stage);
const withdrawUrl = ({ clientId }: Scene) => `/account/addons/${clientId}/withdraw`;

let strangers = 0;
const tryOnce = async (page: Page): Promise<void> => {
  await page.locator('#password').fill('wrong');
  await submit(page);
  await page.locator('#failed').waitFor();
};
const tryPassword: State['open'] = async (page, { baseUrl }) => {
  await page.goto(`${baseUrl}/sign-in`);
  // Another address each time: attempts are counted by it.
  await page.locator('#email').fill(`stranger${(strangers += 1)}@stage.example`);
  await tryOnce(page);
};
const tryTooOften: State['open'] = async (page, stage) => {
  await tryPassword(page, stage);
  // The seconds to wait, in any language.
  while (!/\d/.test((await page.locator('#failed').textContent()) ?? '')) await tryOnce(page);
};

const tryToken =
  (name: string): State['open'] =>
  async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/account/tokens/new`);
    await page.locator('#name').fill(name);
    await submit(page);
    await page.locator('#failed, code.whole').waitFor();
  };
const makeToken: State['open'] = async (page, stage) => {
  const { commands } = stage.http;
  const { userId } = stage.addons.active;
  // So that it can be made again.
  for (const { tokenId, name } of await commands.listAdministratorTokens(userId))
    if (name === 'Backup') await commands.revokeAdministratorToken({ userId, tokenId, by: userId });
  await tryToken('Backup')(page, stage);
};
const askToRevokeToken: State['open'] = async (page, { baseUrl }) => {
  await page.goto(`${baseUrl}/account`);
  await page.locator('tr:has(a[href*="/account/tokens/"]) summary').first().click();
  await page.locator('a[href*="/account/tokens/"].wrong').first().click();
  await page.locator('button.sure').waitFor();
};

const deactivate: State['open'] = async (page, stage) => {
  const { http, harbour, addons } = stage;
  await activate(http, addons.fickle);
  await obtainTokens(http, addons.fickle, { subject: `organization:${harbour.organizationId}` });
  await http.settle();
  await page.goto(`${stage.baseUrl}${addonUrl(stage, 'fickle')}/deactivate`);
  await submit(page);
  await page.waitForURL(/\/receipt\?receipt=/);
};
const activateTooOften: State['open'] = async (page, { baseUrl, addons: { worn } }) => {
  await page.goto(`${baseUrl}/admin/organizations/${worn.organizationId}/addons/${worn.clientId}`);
  await page.locator(`form[action$="/addons/${worn.clientId}/activate"] button`).click();
  await page.waitForURL(/\/activate$/);
};

const choosePassword: State['open'] = async (page, { http, baseUrl, addons }) => {
  const { token } = valueOf(await http.commands.issuePasswordLink(addons.active.userId));
  await page.goto(`${baseUrl}/choose-password?link=${token}`);
};

/** The first of a list of operators, or the page that a link of it leads to. */
const goToFirst =
  (list: string, ...links: readonly string[]): State['open'] =>
  async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/operator/${list}`);
    await page.locator('tbody th a').first().click();
    await page.waitForURL((url) => url.pathname.startsWith(`/operator/${list}/`)); // a click waits for no page
    if (links.length === 0) return;
    for (const link of links) await page.locator(link).first().click();
    await page.locator('main form').waitFor();
  };

const commandLine = new URLSearchParams({
  response_type: 'code',
  client_id: 'grantbook-cli',
  redirect_uri: 'http://127.0.0.1:4711/',
  state: 'a'.repeat(16),
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}).toString();

type Row = readonly [name: string, who: Who, title: RegExp, open: State['open']];

const rows: readonly Row[] = [
  ['sign-in', 'stranger', /^Sign in –/, go('/sign-in')],
  ['guide', 'stranger', /^Connect your add-on –/, go('/docs/connect-your-add-on')],
  ['problems', 'stranger', /^Problems –/, go('/problems')],
  ['problems-found', 'stranger', /^Problems –/, go('/problems?q=token')],
  ['problems-none', 'stranger', /^Problems –/, go('/problems?q=nothing-like-that')],
  ['problem', 'stranger', /^The access token has expired –/, go('/problems/token-expired')],
  ['sign-in-for-add-on', 'stranger', /^Sign in –/, ask('active', { login_hint: 'ada@stage.example' })],
  ['wrong-password', 'stranger', /^Error: /, tryPassword],
  ['too-many-attempts', 'stranger', /^Error: /, tryTooOften],
  ['approval', 'ben', /^Allow /, ask('unknownToBen')],
  ['approval-more', 'ben', /^Allow /, ask('forUsers', { scope: 'profiles:read access-rights:read' })],
  ['approval-choice', 'ada', /^Allow /, ask('active')],
  ['approval-nothing', 'ben', /^Allow /, ask('unknownToBen', { scope: 'unheard:of' })],
  [
    'unknown-organization',
    'ben',
    /cannot get access –/,
    ask('active', { organization: `external:${'a-long-id/'.repeat(20)}` }),
  ],
  ['no-organization', 'ben', /cannot get access –/, ask('active', { subject: 'organization' })],
  [
    'broken-link',
    'stranger',
    /^This link is invalid –/,
    ask('active', { redirect_uri: 'https://evil.example/' }),
  ],
  ['start-again', 'stranger', /^Start again –/, go('/oauth/authorize/continue?interaction=old')],
  ['not-like-this', 'stranger', /^This page can’t be opened directly –/, go('/oauth/authorize/decision')],
  ['sign-out', 'ada', /^Sign out –/, go('/sign-out')],
  ['signed-out', 'stranger', /^You are signed out –/, go('/sign-out')],
  [
    'sign-out-for-add-on',
    'ada',
    /^Sign out\? –/,
    go(({ addons }) => `/oauth/logout?client_id=${addons.active.clientId}`),
  ],
  ['organizations', 'ada', /^Your organizations –/, go('/admin')],
  ['no-organizations', 'ben', /^Your organizations –/, go('/admin')],
  ['not-yours', 'ben', /^Not your organization –/, go(ofHarbour)],
  ['add-ons', 'ada', /^Add-ons of /, go(ofHarbour)],
  ['add-on', 'ada', /^[^]* – [^]* – Grantbook$/, go((stage) => addonUrl(stage, 'active'))],
  ['add-on-deactivated', 'ada', /^[^]* – [^]* – Grantbook$/, go((stage) => addonUrl(stage, 'ended'))],
  ['add-on-suspended', 'ada', /^[^]* – [^]* – Grantbook$/, go((stage) => addonUrl(stage, 'suspended'))],
  ['deactivate', 'ada', /^Deactivate /, go((stage) => `${addonUrl(stage, 'active')}/deactivate`)],
  ['add-on-grants', 'ada', /^Grants of /, go((stage) => `${addonUrl(stage, 'active')}/grants`)],
  ['receipt', 'ada', /^Receipt: /, deactivate],
  ['receipt-from-log', 'ada', /^Receipt: /, go((stage) => `${addonUrl(stage, 'ended')}/receipt`)],
  ['receipt-not-yet', 'ada', /^No receipt yet: /, go((stage) => `${addonUrl(stage, 'stranded')}/receipt`)],
  ['no-receipt', 'ada', /^No receipt –/, go((stage) => `${addonUrl(stage, 'active')}/receipt`)],
  [
    'no-such-add-on',
    'ada',
    /^Add-on not found –/,
    go((stage) => `${ofHarbour(stage)}/addons/01JZZZZZZZZZZZZZZZZZZZZZZX`),
  ],
  [
    'add-ons-refused',
    'ada',
    /^Error: Add-ons of /,
    go((stage) => `${ofHarbour(stage)}?problem=activation-refused-while-suspended`),
  ],
  ['organization-history', 'ada', /^History of /, go((stage) => `${ofHarbour(stage)}/timeline?limit=3`)],
  [
    'organization-history-refused',
    'ada',
    /^Error: History of /,
    go((stage) => `${ofHarbour(stage)}/timeline?from=yesterday`),
  ],
  ['activated-too-often', 'ada', /^Activated too often –/, activateTooOften],
  ['account', 'ben', /^Your account –/, go('/account')],
  ['account-empty', 'ada', /^Your account –/, go('/account')],
  ['withdraw', 'ben', /^Withdraw the access of /, go(({ addons }) => withdrawUrl(addons.forUsers))],
  ['withdrawn', 'ada', /^Withdrawn: /, go(({ addons }) => `/account?withdrawn=${addons.forUsers.clientId}`)],
  ['nothing-to-withdraw', 'ben', /^Nothing to withdraw –/, go(({ addons }) => withdrawUrl(addons.ended))],
  ['new-token', 'ada', /^Create an administrator token –/, go('/account/tokens/new')],
  ['new-token-refused', 'ada', /^Error: Create an administrator token –/, tryToken('Terraform')],
  ['token-made', 'ada', /^Copy your token –/, makeToken],
  ['revoke-token', 'ada', /^Revoke the token /, askToRevokeToken],
  ['histories', 'audrey', /^Audit logs –/, go('/audit')],
  ['history', 'audrey', /^History of /, go(historyUrl('/audit', '&limit=3'))],
  ['searches', 'audrey', /^Who looked into /, go(historyUrl('/audit', '&type=AuditQueried'))],
  ['history-refused', 'audrey', /^Error: History of /, go(historyUrl('/audit', '&from=yesterday'))],
  ['grants', 'audrey', /^Grants of /, go(historyUrl('/audit/grants'))],
  ['no-grants', 'audrey', /^Grants of /, go(historyUrl('/audit/grants', '&to=1999-12-31'))],
  ['questions', 'audrey', /^Questions about /, go(historyUrl('/audit/questions'))],
  ['exposure', 'audrey', /^Reads of /, go(exposureUrl)],
  ['unused', 'audrey', /^Unused access to /, go(historyUrl('/audit/unused', '&days=0'))],
  ['log', 'audrey', /^Was anything removed\?/, go(historyUrl('/audit/log', '&from=2026-03-01'))],
  ['operator', 'audrey', /^Operator –/, go('/operator')],
  ['operator-search', 'audrey', /^Operator –/, go('/operator?search=harbour')],
  ['operator-status', 'audrey', /^Service status –/, go('/operator/status')],
  ['start-page', 'audrey', /^Start page –/, go('/?choose')],
  ['operator-grants', 'audrey', /^Grants –/, go('/operator/grants')],
  ['operator-grants-refused', 'audrey', /^Error: Grants –/, go('/operator/grants?state=gone')],
  ['operator-grant', 'audrey', /^.+ for .+ –/, goToFirst('grants')],
  ['operator-organization', 'audrey', /^.+ –/, goToFirst('organizations')],
  ['operator-user', 'audrey', /^.+ –/, goToFirst('users')],
  ['operator-addon', 'audrey', /^.+ –/, goToFirst('addons')],
  ['operator-signal', 'audrey', /^.+ –/, goToFirst('signals')],
  [
    'operator-change',
    'audrey',
    /^Redirect URIs: .+ –/,
    goToFirst('addons', 'dd a[href*="field=redirect_uris"]'),
  ],
  [
    'operator-end',
    'audrey',
    /^Disable the account: .+ –/,
    goToFirst('users', '.thing summary', 'a[href$="/disable"]'),
  ],
  ['operator-create', 'audrey', /^Create an organization –/, go('/operator/organizations/create')],
  ['available-add-ons', 'ada', /^Add-ons of /, go((stage) => `${ofHarbour(stage)}?list=available`)],
  ['operator-signals', 'audrey', /^Signals –/, go('/operator/signals')],
  ['not-for-you', 'ben', /^You don’t have access –/, go('/audit')],
  ['publisher', 'mia', /^Your add-ons –/, go('/publisher')],
  ['publisher-add-on', 'mia', / – /, go(({ addons }) => `/publisher/addons/${addons.fickle.clientId}`)],
  ['publisher-usage', 'mia', / – /, go(({ addons }) => `/publisher/addons/${addons.charted.clientId}`)],
  [
    'publisher-change',
    'mia',
    /^Propose a change: /,
    go(({ addons }) => `/publisher/addons/${addons.charted.clientId}/propose-change`),
  ],
  [
    'publisher-end',
    'mia',
    /^Remove a client secret: /,
    async (page, { baseUrl, addons }) => {
      await page.goto(`${baseUrl}/publisher/addons/${addons.charted.clientId}`);
      await page.locator('tr:has(a[href*="/remove-secret?"]) summary').first().click();
      await page.locator('a[href*="/remove-secret?"]').first().click();
      await page.locator('main form').waitFor();
    },
  ],
  ['add-on-changed', 'ada', /^[^]* – [^]* – Grantbook$/, go((stage) => addonUrl(stage, 'charted'))],
  ['command-line', 'mia', /^Allow the command line –/, go(`/account/command-line?${commandLine}`)],
  ['change-password', 'ben', /^Change your password –/, go('/account/password')],
  ['choose-password', 'stranger', /^Choose a password –/, choosePassword],
];

export const states = rows.map(([name, who, title, open]): State => ({ name, who, title, open }));
