import type { Page } from 'playwright-core';
import { activate, authorizeUrl, obtainTokens, type Scene } from '../support/scenes/http-scene.ts';
import type { Stage, Who } from './stage.ts';

/** A page in a state that people meet. Nothing here goes by a name, so that names may be anything. */
export type State = {
  readonly name: string;
  /** For docs/reference/pages.md. */
  readonly what: string;
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
const withdrawUrl = ({ clientId }: Scene) => `/account/addons/${clientId}/withdraw`;

/** Another one each time: attempts are counted by the address. */
let strangers = 0;
const strangersAddress = () => `stranger${(strangers += 1)}@stage.example`;
const tryOnce = async (page: Page): Promise<void> => {
  await page.locator('#password').fill('wrong');
  await submit(page);
  await page.locator('#failed').waitFor();
};

const makeToken = async (page: Page, { baseUrl }: Stage, name: string): Promise<void> => {
  await page.goto(`${baseUrl}/account/tokens/new`);
  await page.locator('#name').fill(name);
  await submit(page);
  await page.locator('#failed, code.whole').waitFor();
};
/** So that it can be made again. */
const forgetToken = async ({ http, addons }: Stage, name: string): Promise<void> => {
  const { userId } = addons.active;
  for (const token of await http.commands.listAdministratorTokens(userId))
    if (token.name === name)
      await http.commands.revokeAdministratorToken({ userId, tokenId: token.tokenId, by: userId });
};

export const states: readonly State[] = [
  { name: 'sign-in', what: 'Sign-in', who: 'stranger', title: /^Sign in –/, open: go('/sign-in') },
  {
    name: 'guide',
    what: 'How an add-on is connected',
    who: 'stranger',
    title: /^Connect your add-on –/,
    open: go('/docs/connect-your-add-on'),
  },
  {
    name: 'problems',
    what: 'Every error of the API',
    who: 'stranger',
    title: /^Problems –/,
    open: go('/problems'),
  },
  {
    name: 'problem',
    what: 'One error of the API: what it means, and what to do',
    who: 'stranger',
    title: /^The access token has expired –/,
    open: go('/problems/token-expired'),
  },
  {
    name: 'sign-in-for-add-on',
    what: 'Sign-in for an add-on that sent a login hint',
    who: 'stranger',
    title: /^Sign in –/,
    open: ask('active', { login_hint: 'ada@stage.example' }),
  },
  {
    name: 'wrong-password',
    what: 'Wrong password: the focus is in the field, which names the error',
    who: 'stranger',
    title: /^Error: /,
    open: async (page, stage) => {
      await page.goto(`${stage.baseUrl}/sign-in`);
      await page.locator('#email').fill(strangersAddress());
      await tryOnce(page);
    },
  },
  {
    name: 'too-many-attempts',
    what: 'Too many wrong passwords',
    who: 'stranger',
    title: /^Error: /,
    open: async (page, stage) => {
      await page.goto(`${stage.baseUrl}/sign-in`);
      await page.locator('#email').fill(strangersAddress());
      await tryOnce(page);
      // The seconds to wait, in any language.
      while (!/\d/.test((await page.locator('#failed').textContent()) ?? '')) await tryOnce(page);
    },
  },
  {
    name: 'approval',
    what: 'Approval: a user who administers no organization',
    who: 'ben',
    title: /^Allow /,
    open: ask('unknownToBen'),
  },
  {
    name: 'approval-more',
    what: 'Approval: the add-on requests more than was allowed before',
    who: 'ben',
    title: /^Allow /,
    open: ask('forUsers', { scope: 'profiles:read access-rights:read' }),
  },
  {
    name: 'approval-choice',
    what: 'Approval: an administrator chooses whose records; new scopes are marked for each choice',
    who: 'ada',
    title: /^Allow /,
    open: ask('active'),
  },
  {
    name: 'approval-nothing',
    what: 'Approval: none of the requested scopes exists',
    who: 'ben',
    title: /^Allow /,
    open: ask('unknownToBen', { scope: 'unheard:of' }),
  },
  {
    name: 'unknown-organization',
    what: 'The add-on asks for an organization that does not exist',
    who: 'ben',
    title: /cannot get access –/,
    open: ask('active', { organization: `external:${'a-long-id/'.repeat(20)}` }),
  },
  {
    name: 'no-organization',
    what: 'The add-on asks for an organization, and the user administers none',
    who: 'ben',
    title: /cannot get access –/,
    open: ask('active', { subject: 'organization' }),
  },
  {
    name: 'broken-link',
    what: 'A broken link of an add-on',
    who: 'stranger',
    title: /^This link is invalid –/,
    open: ask('active', { redirect_uri: 'https://evil.example/' }),
  },
  {
    name: 'start-again',
    what: 'A form that has expired or was already sent',
    who: 'stranger',
    title: /^Start again –/,
    open: go('/oauth/authorize/continue?interaction=old'),
  },
  {
    name: 'not-like-this',
    what: 'An address that cannot be opened directly',
    who: 'stranger',
    title: /^This page can’t be opened directly –/,
    open: go('/oauth/authorize/decision'),
  },
  {
    name: 'sign-out',
    what: 'Sign-out: confirmation',
    who: 'ada',
    title: /^Sign out –/,
    open: go('/sign-out'),
  },
  {
    name: 'signed-out',
    what: 'Signed out',
    who: 'stranger',
    title: /^You are signed out –/,
    open: go('/sign-out'),
  },
  {
    name: 'sign-out-for-add-on',
    what: 'Sign-out requested by an add-on',
    who: 'ada',
    title: /^Sign out\? –/,
    open: go(({ addons }) => `/oauth/logout?client_id=${addons.active.clientId}`),
  },
  {
    name: 'organizations',
    what: 'The organizations of an administrator',
    who: 'ada',
    title: /^Your organizations –/,
    open: go('/admin'),
  },
  {
    name: 'no-organizations',
    what: 'A user who administers no organization',
    who: 'ben',
    title: /^Your organizations –/,
    open: go('/admin'),
  },
  {
    name: 'not-yours',
    what: 'An organization that the user does not administer',
    who: 'ben',
    title: /^Not your organization –/,
    open: go(ofHarbour),
  },
  {
    name: 'add-ons',
    what: 'The add-ons of an organization, in each state',
    who: 'ada',
    title: /^Add-ons of /,
    open: go(ofHarbour),
  },
  {
    name: 'add-on',
    what: 'An active add-on: its access, and who approved it',
    who: 'ada',
    title: /^[^]* – [^]* – Grantbook$/,
    open: go((stage) => addonUrl(stage, 'active')),
  },
  {
    name: 'add-on-deactivated',
    what: 'A deactivated add-on: what a new activation would request',
    who: 'ada',
    title: /^[^]* – [^]* – Grantbook$/,
    open: go((stage) => addonUrl(stage, 'ended')),
  },
  {
    name: 'add-on-suspended',
    what: 'A suspended add-on',
    who: 'ada',
    title: /^[^]* – [^]* – Grantbook$/,
    open: go((stage) => addonUrl(stage, 'suspended')),
  },
  {
    name: 'deactivate',
    what: 'Deactivation: confirmation, with its effects',
    who: 'ada',
    title: /^Deactivate /,
    open: go((stage) => `${addonUrl(stage, 'active')}/deactivate`),
  },
  {
    name: 'add-on-grants',
    what: 'The live grants of an add-on, each with a form that revokes it',
    who: 'ada',
    title: /^Grants of /,
    open: go((stage) => `${addonUrl(stage, 'active')}/grants`),
  },
  {
    name: 'receipt',
    what: 'Deactivation: receipt',
    who: 'ada',
    title: /^Receipt: /,
    open: async (page, stage) => {
      const { http, harbour, addons } = stage;
      await activate(http, addons.fickle);
      await obtainTokens(http, addons.fickle, { subject: `organization:${harbour.organizationId}` });
      await http.settle();
      await page.goto(`${stage.baseUrl}${addonUrl(stage, 'fickle')}/deactivate`);
      await submit(page);
      await page.waitForURL(/\/receipt\?receipt=/);
    },
  },
  {
    name: 'receipt-from-log',
    what: 'The receipt without the details that only its own address shows',
    who: 'ada',
    title: /^Receipt: /,
    open: go((stage) => `${addonUrl(stage, 'ended')}/receipt`),
  },
  {
    name: 'receipt-not-yet',
    what: 'No receipt yet: the deactivation was not answered, and it is not known whether all servers apply it',
    who: 'ada',
    title: /^No receipt yet: /,
    open: go((stage) => `${addonUrl(stage, 'stranded')}/receipt`),
  },
  {
    name: 'no-receipt',
    what: 'No receipt: the add-on was never deactivated',
    who: 'ada',
    title: /^No receipt –/,
    open: go((stage) => `${addonUrl(stage, 'active')}/receipt`),
  },
  {
    name: 'no-such-add-on',
    what: 'Add-on not found',
    who: 'ada',
    title: /^Add-on not found –/,
    open: go((stage) => `${ofHarbour(stage)}/addons/01JZZZZZZZZZZZZZZZZZZZZZZX`),
  },
  {
    name: 'add-ons-refused',
    what: 'A refused action',
    who: 'ada',
    title: /^Error: Add-ons of /,
    open: go((stage) => `${ofHarbour(stage)}?problem=activation-refused-while-suspended`),
  },
  {
    name: 'organization-history',
    what: 'The history of an organization, for its administrators',
    who: 'ada',
    title: /^History of /,
    open: go((stage) => `${ofHarbour(stage)}/timeline?limit=3`),
  },
  {
    name: 'organization-history-refused',
    what: 'The same with an invalid filter',
    who: 'ada',
    title: /^Error: History of /,
    open: go((stage) => `${ofHarbour(stage)}/timeline?from=yesterday`),
  },
  {
    name: 'activated-too-often',
    what: 'Activated too often: the next activation must wait',
    who: 'ada',
    title: /^Activated too often –/,
    open: async (page, { baseUrl, addons: { worn } }) => {
      await page.goto(`${baseUrl}/admin/organizations/${worn.organizationId}?list=deactivated`);
      await page.locator(`form[action$="/addons/${worn.clientId}/activate"] button`).click();
      await page.waitForURL(/\/activate$/);
    },
  },
  {
    name: 'account',
    what: "The user's account, and the add-ons that may read the user's own records",
    who: 'ben',
    title: /^Your account –/,
    open: go('/account'),
  },
  {
    name: 'account-empty',
    what: 'The account of an administrator without own consents, with administrator tokens',
    who: 'ada',
    title: /^Your account –/,
    open: go('/account'),
  },
  {
    name: 'withdraw',
    what: 'Withdrawal of a consent: confirmation',
    who: 'ben',
    title: /^Withdraw the access of /,
    open: go(({ addons }) => withdrawUrl(addons.forUsers)),
  },
  {
    name: 'withdrawn',
    what: 'Withdrawal of a consent: done',
    who: 'ada',
    title: /^Withdrawn: /,
    open: go(({ addons }) => `/account?withdrawn=${addons.forUsers.clientId}`),
  },
  {
    name: 'nothing-to-withdraw',
    what: 'Nothing to withdraw: the add-on was never allowed',
    who: 'ben',
    title: /^Nothing to withdraw –/,
    open: go(({ addons }) => withdrawUrl(addons.ended)),
  },
  {
    name: 'new-token',
    what: 'An administrator makes a token for a program',
    who: 'ada',
    title: /^Create an administrator token –/,
    open: go('/account/tokens/new'),
  },
  {
    name: 'new-token-refused',
    what: 'A token name that is in use: the focus is in the field, which names the error',
    who: 'ada',
    title: /^Error: Create an administrator token –/,
    open: (page, stage) => makeToken(page, stage, 'Terraform'),
  },
  {
    name: 'token-made',
    what: 'The token, shown once',
    who: 'ada',
    title: /^Copy your token –/,
    open: async (page, stage) => {
      await forgetToken(stage, 'Backup');
      await makeToken(page, stage, 'Backup');
    },
  },
  {
    name: 'revoke-token',
    what: 'Revocation of a token: confirmation',
    who: 'ada',
    title: /^Revoke the token /,
    open: async (page, stage) => {
      await page.goto(`${stage.baseUrl}/account`);
      await page.locator('a[href*="/account/tokens/"].danger').first().click();
      await page.locator('button.sure').waitFor();
    },
  },
  {
    name: 'histories',
    what: 'An auditor chooses an organization',
    who: 'audrey',
    title: /^Audit logs –/,
    open: go('/audit'),
  },
  {
    name: 'history',
    what: 'Events of an organization, in plain words, with filters',
    who: 'audrey',
    title: /^History of /,
    open: go(historyUrl('/audit', '&limit=3')),
  },
  {
    name: 'history-refused',
    what: 'An invalid filter: the alert and the field say what is allowed',
    who: 'audrey',
    title: /^Error: History of /,
    open: go(historyUrl('/audit', '&from=yesterday')),
  },
  {
    name: 'grants',
    what: 'Grants over time, distinguished by colour, pattern, letter and words',
    who: 'audrey',
    title: /^Grants of /,
    open: go(historyUrl('/audit/grants')),
  },
  {
    name: 'no-grants',
    what: 'Grants over time: none',
    who: 'audrey',
    title: /^Grants of /,
    open: go(historyUrl('/audit/grants', '&to=1999-12-31')),
  },
  {
    name: 'questions',
    what: 'Five questions of auditors, each with a link to its answer',
    who: 'audrey',
    title: /^Questions about /,
    open: go(historyUrl('/audit/questions')),
  },
  {
    name: 'exposure',
    what: 'What an add-on could read, and what it read',
    who: 'audrey',
    title: /^Reads of /,
    open: (page, stage) =>
      go(historyUrl('/audit/exposure', `&addon=${stage.addons.active.clientId}`))(page, stage),
  },
  {
    name: 'unused',
    what: 'Unused access',
    who: 'audrey',
    title: /^Unused access to /,
    open: go(historyUrl('/audit/unused', '&days=0')),
  },
  {
    name: 'log',
    what: 'The log compared with its signed heads',
    who: 'audrey',
    title: /^Was anything removed\?/,
    open: go(historyUrl('/audit/log', '&from=2026-03-01')),
  },
  {
    name: 'operator',
    what: 'The operators’ home: the status in one sentence, a search over everything, numbers, the latest grants',
    who: 'audrey',
    title: /^Operator –/,
    open: go('/operator'),
  },
  {
    name: 'operator-search',
    what: 'What the search over everything finds',
    who: 'audrey',
    title: /^Operator –/,
    open: go('/operator?search=harbour'),
  },
  {
    name: 'operator-status',
    what: 'The status of the service: workers, lag, leaders, parked keys, rebuilds',
    who: 'audrey',
    title: /^Service status –/,
    open: go('/operator/status'),
  },
  {
    name: 'start-page',
    what: 'Several roles: where to start, which the browser remembers',
    who: 'audrey',
    title: /^Start page –/,
    open: go('/?choose'),
  },
  {
    name: 'operator-grants',
    what: 'Grants, with search and paging',
    who: 'audrey',
    title: /^Grants –/,
    open: go('/operator/grants'),
  },
  {
    name: 'operator-grants-refused',
    what: 'A search that is not possible',
    who: 'audrey',
    title: /^Error: Grants –/,
    open: go('/operator/grants?state=gone'),
  },
  ...(
    [
      ['operator-grant', 'One grant, and what can be done', 'grants', /^.+ for .+ –/],
      ['operator-organization', 'One organization, for operators', 'organizations', /^.+ –/],
      ['operator-user', 'One account, for operators', 'users', /^.+ –/],
      ['operator-addon', 'One add-on, for operators', 'addons', /^.+ –/],
      ['operator-signal', 'How one add-on is told, for operators: its pushes fail', 'signals', /^.+ –/],
    ] as const
  ).map(([name, what, list, title]): State => ({
    name,
    what,
    who: 'audrey',
    title,
    open: async (page, stage) => {
      await page.goto(`${stage.baseUrl}/operator/${list}`);
      await page.locator('tbody th a').first().click();
    },
  })),
  ...(
    [
      [
        'operator-change',
        'A property is changed on a page of its own',
        'addons',
        'dd a[href*="field=redirect_uris"]',
        /^Redirect URIs: .+ –/,
      ],
      [
        'operator-end',
        'An action that ends something says what',
        'users',
        'a.danger[href$="/disable"]',
        /^Disable the account: .+ –/,
      ],
    ] as const
  ).map(([name, what, list, link, title]): State => ({
    name,
    what,
    who: 'audrey',
    title,
    open: async (page, stage) => {
      await page.goto(`${stage.baseUrl}/operator/${list}`);
      await page.locator('tbody th a').first().click();
      await page.locator(link).first().click();
      await page.locator('main form').waitFor();
    },
  })),
  {
    name: 'operator-create',
    what: 'A new organization',
    who: 'audrey',
    title: /^Create an organization –/,
    open: go('/operator/organizations/create'),
  },
  {
    name: 'available-add-ons',
    what: 'Add-ons that an organization may activate',
    who: 'ada',
    title: /^Add-ons of /,
    open: go((stage) => `${ofHarbour(stage)}?list=available`),
  },
  {
    name: 'operator-signals',
    what: 'How add-ons are told, and where that fails',
    who: 'audrey',
    title: /^Signals –/,
    open: go('/operator/signals'),
  },
  {
    name: 'not-for-you',
    what: 'No access to this audit log',
    who: 'ben',
    title: /^You don’t have access –/,
    open: go('/audit'),
  },
  {
    name: 'publisher',
    what: 'The add-ons of a publisher',
    who: 'mia',
    title: /^Your add-ons –/,
    open: go('/publisher'),
  },
  {
    name: 'publisher-add-on',
    what: 'What a member of a publisher sees of an add-on, with a change that waits',
    who: 'mia',
    title: / – /,
    open: go(({ addons }) => `/publisher/addons/${addons.fickle.clientId}`),
  },
  {
    name: 'publisher-usage',
    what: 'The same of an add-on with secrets that is in use',
    who: 'mia',
    title: / – /,
    open: go(({ addons }) => `/publisher/addons/${addons.charted.clientId}`),
  },
  {
    name: 'publisher-change',
    what: 'A member of a publisher proposes a change',
    who: 'mia',
    title: /^Propose a change: /,
    open: go(({ addons }) => `/publisher/addons/${addons.charted.clientId}/changes`),
  },
  {
    name: 'publisher-end',
    what: 'A client secret is removed: confirmation, with its effects',
    who: 'mia',
    title: /^Remove this secret: /,
    open: async (page, { baseUrl, addons }) => {
      await page.goto(`${baseUrl}/publisher/addons/${addons.charted.clientId}`);
      await page.locator('a[href$="/remove"]').first().click();
      await page.locator('main form').waitFor();
    },
  },
  {
    name: 'add-on-changed',
    what: 'An active add-on that its publisher has changed',
    who: 'ada',
    title: /^[^]* – [^]* – Grantbook$/,
    open: go((stage) => addonUrl(stage, 'charted')),
  },
  {
    name: 'command-line',
    what: 'The command line asks to act for somebody',
    who: 'mia',
    title: /^Allow the command line –/,
    open: go(
      `/account/command-line?${new URLSearchParams({
        response_type: 'code',
        client_id: 'grantbook-cli',
        redirect_uri: 'http://127.0.0.1:4711/',
        state: 'a'.repeat(16),
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      }).toString()}`,
    ),
  },
];
