import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeFields } from '../../../src/administration/addons/addon-changes.ts';
import { grantsQuery, timelineQuery } from '../../../src/http/contracts/audit.ts';
import { importQuery, shownQuery } from '../../../src/http/contracts/import.ts';
import { namesOf } from '../../../src/http/contracts/parameters.ts';
import { singleParameters } from '../../../src/http/oauth/authorize/authorize-checks.ts';
import { presentedTokenParameters } from '../../../src/http/oauth/token/presented-token.ts';
import { signOutParameters } from '../../../src/http/oauth/identity/sign-out-request.ts';
import { singleTokenParameters } from '../../../src/http/oauth/token/token-checks.ts';
import { auditNames, auditPathOf } from '../../../src/http/operator/audit-paths.ts';
import { usageFields } from '../../../src/administration/publishing.ts';
import { pageQuery } from '../../../src/http/operator/api-paths.ts';
import { signInFields } from '../../../src/http/session/sign-in.ts';
import { challenge } from '../../support/scenes/grants.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  obtainTokens,
  password,
  redirectUri,
  setScene,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { formsOf, testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { templatesOf } from '../../support/documents/registered-routes.ts';
import { nameOf, parse, walk, type Node } from '../../support/documents/syntax.ts';

/** G-04 everywhere: every parameter that some endpoint knows is sent to it twice, with equal values. */

type Values = Readonly<Record<string, string>>;
type Endpoint = {
  readonly to: `${'GET' | 'POST'} ${string}`;
  readonly knows: readonly string[];
  /** A request that is answered otherwise when nothing is repeated. */
  readonly good?: (browser: TestBrowser) => Values | Promise<Values>;
  readonly cookies?: boolean;
  /** Signed in as one, and not as an administrator. */
  readonly isAuditor?: boolean;
  /** Signed in as a member of the publisher of `secretive`. */
  readonly isMember?: boolean;
  /** With the token of an add-on, or of an operator. */
  readonly bearer?: boolean | 'operator';
  /** What its address has besides, which a form is sent to. */
  readonly query?: () => Values;
  /** The parameters are in the address, and the body has lines. */
  readonly lines?: boolean;
};

const authorizeParameters = ['client_id', 'redirect_uri', ...singleParameters];
const lists = ['/access-rights', '/profiles', '/reservations'];
const organization = '/admin/organizations/:organization_id';
const published = '/publisher/addons/:client_id';
const publisherApi = '/publisher/api/addons';

let http: HttpApp;
let scene: Scene;
let secretive: Scene;
let accessToken: string;
let operatorToken: string;
let tokenId: string;
let programs = 0;
const auditorEmail = 'audrey@harbour.example';
const memberEmail = 'bea@doors.example';
const operatorEmail = 'olive@harbour.example';
beforeAll(async () => {
  http = await startHttpApp({ signIn: { providers: [acme] } });
  scene = await setScene(http);
  secretive = await setScene(http, { confidential: true });
  await activate(http, scene);
  // Of a scene where nobody withdraws or deactivates anything: a dead token is answered so, whatever else is wrong.
  accessToken = (await obtainTokens(http, await setScene(http), { subject: 'user' })).access_token;
  const { userId, organizationId } = scene;
  const audrey = { email: auditorEmail, name: 'Audrey', password, roles: ['auditor' as const] };
  valueOf(await http.commands.createUser({ ...audrey, administratorOf: [], auditorOf: [organizationId] }));
  const token = { userId, organizationId, name: 'Nightly audit', days: 30, by: userId };
  tokenId = valueOf(await http.commands.issueAdministratorToken(token)).tokenId;
  const olive = { email: operatorEmail, name: 'Olive', password, roles: ['operator' as const] };
  const operator = valueOf(await http.commands.createUser({ ...olive, administratorOf: [] })).userId;
  const everything = { ...token, userId: operator, organizationId: null, by: operator };
  operatorToken = valueOf(await http.commands.issueAdministratorToken(everything)).token;
  await publish(secretive.clientId);
});
afterAll(() => http.close());

/** Its publisher has a member and another add-on, and it a stream. */
const publish = async (addonId: string) => {
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Doors Ltd' }));
  const member = await createUser(http, memberEmail);
  valueOf(await http.commands.addPublisherMember({ publisherId, userId: member }));
  for (const own of [addonId, (await setScene(http)).clientId])
    valueOf(await http.commands.setAddonPublisher({ addonId: own, publisherId }));
  const configuration = {
    method: 'poll' as const,
    endpointUrl: null,
    authorization: null,
    eventsRequested: [],
    description: null,
  };
  valueOf(await http.commands.createSignalStream({ addonId, caller: 'operator', configuration }));
  await http.settle();
};

const query = (change: Readonly<Record<string, string | undefined>> = {}): Values =>
  Object.fromEntries(new URL(authorizeUrl(scene, change), http.baseUrl).searchParams);
const client = () => ({ client_id: secretive.clientId, client_secret: secretive.clientSecret ?? '' });
/** What the form of a page holds that has this field. */
const fieldsAt = async (browser: TestBrowser, url: string, field = 'interaction'): Promise<Values> => {
  const form = formsOf((await browser.get(url)).body).find(({ fields }) => field in fields);
  return { [field]: form?.fields[field] ?? '' };
};
const asked = () => authorizeUrl(scene, { prompt: 'consent' });

const auditPages = {
  '/audit': ['organization', ...namesOf(timelineQuery)],
  '/audit/timeline.csv': ['organization', ...namesOf(timelineQuery)],
  '/audit/timeline.ndjson': ['organization', ...namesOf(timelineQuery)],
  '/audit/grants': ['organization', ...namesOf(grantsQuery)],
  '/audit/questions': ['organization'],
  '/audit/exposure': ['organization', 'addon', 'from', 'to'],
  '/audit/unused': ['organization', 'days', 'after_grant'],
  '/audit/log': ['organization', 'from'],
};

const commandLine = () => ({
  response_type: 'code',
  client_id: 'grantbook-cli',
  redirect_uri: 'http://127.0.0.1:41234/',
  state: 'a-state-of-this-run',
  code_challenge: challenge,
  code_challenge_method: 'S256',
});
const proposal: Values = {
  add_redirect_uri: 'https://addon.example/another',
  remove_redirect_uri: redirectUri,
  configuration_url: 'https://addon.example/other',
  add_post_logout_redirect_uri: 'https://addon.example/bye',
  website: 'https://doors.example/',
  privacy_url: 'https://doors.example/privacy',
  support_url: 'https://doors.example/support',
};
const ofPublished = (browser: TestBrowser) =>
  fieldsAt(browser, `/publisher/addons/${secretive.clientId}`, 'csrf');

const acme = {
  id: 'acme',
  name: 'Acme',
  issuer: 'http://127.0.0.1:9',
  clientId: 'grantbook',
  clientSecret: null,
  scopes: ['openid'],
  claims: { name: null, email: null, administratorOf: null, roles: null },
};

const endpoints: readonly Endpoint[] = [
  { to: 'POST /sign-in/with/:provider', knows: ['interaction'] },
  { to: 'GET /sign-in/callback/:provider', knows: ['state'] },
  { to: 'POST /sign-in/backchannel-logout/:provider', knows: ['logout_token'] },
  { to: 'GET /sign-out/callback/:provider', knows: ['state'], good: () => ({ state: 'x' }) },
  ...(['GET', 'POST'] as const).map((method): Endpoint => ({
    to: `${method} /oauth/authorize`,
    knows: authorizeParameters,
    good: () => query(),
  })),
  {
    to: 'GET /oauth/authorize/continue',
    knows: ['interaction'],
    good: (browser) => fieldsAt(browser, authorizeUrl(scene, { prompt: 'login' })),
    cookies: true,
  },
  {
    to: 'POST /oauth/authorize/decision',
    knows: ['interaction', 'decision', 'subject'],
    good: async (browser) => ({
      ...(await fieldsAt(browser, asked())),
      decision: 'approve',
      subject: 'user',
    }),
    cookies: true,
  },
  {
    to: 'POST /oauth/authorize/another-user',
    knows: ['interaction'],
    good: (browser) => fieldsAt(browser, asked()),
    cookies: true,
  },
  { to: 'POST /oauth/token', knows: singleTokenParameters },
  { to: 'POST /oauth/revoke', knows: presentedTokenParameters, good: () => ({ ...client(), token: 'x' }) },
  {
    to: 'POST /oauth/introspect',
    knows: presentedTokenParameters,
    good: () => ({ ...client(), token: 'x' }),
  },
  { to: 'POST /oauth/userinfo', knows: ['access_token'] },
  { to: 'GET /oauth/userinfo', knows: ['access_token'] },
  { to: 'GET /oauth/logout', knows: signOutParameters },
  { to: 'POST /oauth/logout', knows: signOutParameters, cookies: true },
  {
    to: 'GET /oauth/logout/continue',
    knows: ['interaction'],
    good: (browser) => fieldsAt(browser, '/oauth/logout'),
    cookies: true,
  },
  {
    to: 'POST /oauth/logout/confirm',
    knows: ['interaction'],
    good: (browser) => fieldsAt(browser, '/oauth/logout'),
    cookies: true,
  },
  { to: 'GET /sign-in', knows: ['return_to', 'again'], good: () => ({ return_to: '/admin' }) },
  { to: 'POST /sign-in', knows: signInFields },
  { to: 'GET /sign-in/passkey', knows: ['interaction'] },
  { to: 'POST /sign-in/passkey', knows: ['interaction', 'challenge', 'credential'] },
  {
    to: 'POST /sign-out',
    knows: ['csrf', 'return_to'],
    good: async (browser) => ({ ...(await fieldsAt(browser, '/sign-out', 'csrf')), return_to: '/admin' }),
    cookies: true,
  },
  ...['activate', 'deactivate'].map((act): Endpoint => ({
    to: `POST ${organization}/addons/:client_id/${act}`,
    knows: ['csrf'],
    good: (browser) => fieldsAt(browser, '/sign-out', 'csrf'),
    cookies: true,
  })),
  {
    to: `POST ${organization}/addons/:client_id/grants/:grant_id/revoke`,
    knows: ['csrf', 'reason'],
    cookies: true,
  },
  {
    to: 'POST /account/addons/:client_id/withdraw',
    knows: ['csrf'],
    good: (browser) => fieldsAt(browser, `/account/addons/${scene.clientId}/withdraw`, 'csrf'),
    cookies: true,
  },
  {
    to: 'POST /account/tokens/new',
    knows: ['csrf', 'name', 'organization', 'days'],
    good: async (browser) => ({
      ...(await fieldsAt(browser, '/account/tokens/new', 'csrf')),
      name: `program ${(programs += 1)}`,
      organization: 'all',
      days: '30',
    }),
    cookies: true,
  },
  {
    to: 'POST /account/tokens/:token_id/revoke',
    knows: ['csrf'],
    good: (browser) => fieldsAt(browser, `/account/tokens/${tokenId}/revoke`, 'csrf'),
    cookies: true,
  },
  {
    to: 'POST /account/sessions/end-others',
    knows: ['csrf'],
    good: (browser) => fieldsAt(browser, '/account', 'csrf'),
    cookies: true,
  },
  { to: 'POST /account/sessions/:session_id/end', knows: ['csrf'], cookies: true },
  { to: 'POST /account/password', knows: ['csrf', 'present', 'password', 'again'], cookies: true },
  { to: 'POST /account/passkeys/new', knows: ['csrf', 'challenge', 'credential', 'name'], cookies: true },
  { to: 'POST /account/passkeys/:passkey_id/rename', knows: ['csrf', 'name'], cookies: true },
  { to: 'POST /account/passkeys/:passkey_id/remove', knows: ['csrf'], cookies: true },
  { to: 'POST /forgot-password', knows: ['interaction', 'email'], cookies: true },
  { to: 'GET /choose-password', knows: ['link'] },
  { to: 'POST /choose-password', knows: ['link', 'password', 'again', 'keep_identities'] },
  ...lists.map((url): Endpoint => ({
    to: `GET ${url}`,
    knows: ['page', 'per_page', 'cursor'],
    good: () => ({ page: '1', per_page: '5' }),
    bearer: true,
  })),
  ...['timeline', 'grants'].map((what): Endpoint => ({
    to: `GET /audit/organizations/:organization_id/${what}`,
    knows: namesOf(what === 'timeline' ? timelineQuery : grantsQuery),
    good: () => ({ limit: '5' }),
    cookies: true,
    isAuditor: true,
  })),
  ...[
    '/organizations/:organization_id/timeline',
    ...['', '.csv', '.ndjson'].map((file) => `${organization}/timeline${file}`),
  ].map((url): Endpoint => ({
    to: `GET ${url}`,
    knows: namesOf(timelineQuery),
    good: () => ({ limit: '5' }),
    cookies: true,
  })),
  ...Object.entries(auditPages).map(([url, query]): Endpoint => ({
    to: `GET ${url}`,
    knows: query,
    good: () => ({ organization: scene.organizationId }),
    cookies: true,
    isAuditor: true,
  })),
  {
    to: 'POST /',
    knows: ['csrf', 'home'],
    good: async (browser) => ({
      ...(await fieldsAt(browser, '/sign-out', 'csrf')),
      home: 'organizations',
    }),
    cookies: true,
  },
  {
    to: 'POST /account/language',
    knows: ['csrf', 'language', 'time_zone'],
    good: async (browser) => ({
      ...(await fieldsAt(browser, '/account/language', 'csrf')),
      language: 'en',
      time_zone: 'Europe/Berlin',
    }),
    cookies: true,
  },
  {
    to: 'GET /account/command-line',
    knows: Object.keys(commandLine()),
    good: commandLine,
    cookies: true,
    isAuditor: true,
  },
  {
    to: 'POST /account/command-line',
    knows: ['csrf', 'decision'],
    query: commandLine,
    good: async (browser) => ({
      ...(await fieldsAt(browser, '/sign-out', 'csrf')),
      decision: 'allow',
    }),
    cookies: true,
    isAuditor: true,
  },
  ...[publisherApi, `${publisherApi}/:client_id/organizations`].map((url): Endpoint => ({
    to: `GET ${url}`,
    knows: namesOf(pageQuery),
    good: () => ({ limit: '5', after: '01JD0000000000000000000000' }),
    cookies: true,
    isMember: true,
  })),
  {
    to: `GET ${publisherApi}/:client_id/usage`,
    knows: namesOf(usageFields),
    good: () => ({ days: '5' }),
    cookies: true,
    isMember: true,
  },
  ...['secrets', 'signals/test'].map((what): Endpoint => ({
    to: `POST ${published}/${what}`,
    knows: ['csrf'],
    good: ofPublished,
    cookies: true,
    isMember: true,
  })),
  {
    to: `POST ${published}/signals/replay`,
    knows: ['csrf', 'after'],
    good: async (browser) => ({ ...(await ofPublished(browser)), after: '0/0' }),
    cookies: true,
    isMember: true,
  },
  {
    to: `POST ${published}/changes`,
    knows: ['csrf', ...namesOf(changeFields)],
    good: async (browser) => ({ ...(await ofPublished(browser)), ...proposal }),
    cookies: true,
    isMember: true,
  },
  ...['secrets/:secret_id/remove', 'changes/:change_id/withdraw'].map((what): Endpoint => ({
    to: `POST ${published}/${what}`,
    knows: ['csrf'],
    cookies: true,
    isMember: true,
  })),
  ...lists.map((list): Endpoint => ({
    to: `POST /operator/api/organizations/:organization_id/import${list}`,
    knows: namesOf(importQuery),
    good: () => ({ first_line: '1' }),
    bearer: 'operator',
    lines: true,
  })),
  {
    to: 'GET /operator/api/shown',
    knows: namesOf(shownQuery),
    good: () => ({ position: '0/0' }),
    bearer: 'operator',
  },
];

/** Understand no parameter at all, or refuse each (the administrators' API; test/http/requests/bad-input.test.ts). */
const withoutParameters = [
  // Of an add-on's own token: test/http/signals/streams.test.ts sends `stream_id` twice.
  '/ssf/streams',
  '/ssf/status',
  '/ssf/verify',
  '/ssf/poll/:stream_id',
  '/.well-known/ssf-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/change-password',
  '/.well-known/openid-configuration',
  '/admin',
  '/assets/grantbook-:hash.css',
  '/assets/page-:hash.js',
  '/assets/passkeys-:hash.js',
  '/assets/swagger-ui-:hash.css',
  '/assets/swagger-ui-:hash.js',
  '/audit/organizations',
  '/grant',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/operator',
  '/oauth/jwks',
  '/openapi.json',
  '/asyncapi.json',
  '/docs',
  '/docs/connect-your-add-on',
  '/problems',
  '/problems/:kind',
  '/organizations/:organization_id/addons',
  '/organizations/:organization_id/addons/:client_id/activation',
  organization,
  `${organization}/addons/:client_id`,
  // A cursor that is repeated is none.
  `${organization}/addons/:client_id/grants`,
  `${organization}/addons/:client_id/receipt`,
  '/account',
  '/operator/api/token',
  // A cursor that is repeated is none.
  '/publisher',
  published,
  `${publisherApi}/:client_id`,
  `${publisherApi}/:client_id/secrets`,
  `${publisherApi}/:client_id/secrets/:secret_id`,
  `${publisherApi}/:client_id/changes`,
  `${publisherApi}/:client_id/changes/:change_id/withdraw`,
  `${publisherApi}/:client_id/signals`,
  `${publisherApi}/:client_id/signals/test`,
  `${publisherApi}/:client_id/signals/replay`,
  // Of a whole service: test/cli/remote/remote-audit.test.ts sends each twice.
  ...auditNames.map(auditPathOf),
];

/** What our own redirects leave in an address: it chooses one of our own sentences, or is signed; twice it is nothing. */
const notes = [
  'done',
  'ended',
  'passkey',
  'problem',
  'receipt',
  'removed',
  'revoked',
  'unchanged',
  'withdrawn',
];

/** The operators' API and pages are made from one table; test/http/operator/operator-api.test.ts and operator-pages.test.ts send twice. */
const isOfOperators = (url: string) =>
  url.startsWith('/operator/') && !/^\/operator\/api\/(?:audit|shown|token|.*\/import)(?:\/|$)/.test(url);
const operatorsForm = ['revision', 'sure'];

/** They choose what a page shows; twice they are none (below). */
const ofLists = ['back', 'field', 'list', 'search'];

/** Of the streams of add-ons. */
const streamsQuery = ['stream_id'];

const send = (
  { to, cookies, bearer, isMember, query: ofAddress, lines }: Endpoint,
  browser: TestBrowser,
  pairs: readonly (readonly [string, string])[],
) => {
  const [method = '', url = ''] = to.split(' ');
  const address = url
    .replace(':organization_id', scene.organizationId)
    .replace(':client_id', (isMember ? secretive : scene).clientId)
    .replace(':provider', acme.id)
    .replace(':token_id', tokenId);
  const encoded = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  const inAddress =
    method === 'GET' || lines ? encoded : new URLSearchParams({ ...ofAddress?.() }).toString();
  return http.app.inject({
    method: method as 'GET',
    url: inAddress === '' ? address : `${address}?${inAddress}`,
    ...(cookies && { cookies: Object.fromEntries(browser.cookies) }),
    headers: {
      ...(method === 'POST' && {
        'content-type': lines ? 'application/x-ndjson' : 'application/x-www-form-urlencoded',
      }),
      ...(bearer && { authorization: `Bearer ${bearer === 'operator' ? operatorToken : accessToken}` }),
    },
    ...(method === 'POST' && { payload: lines ? '' : encoded }),
  });
};

const refusal = ({ statusCode, headers, body }: LightMyRequestResponse) => {
  if (statusCode === 303)
    return /error=invalid_request/.test(headers.location ?? '') ? 'invalid_request' : 303;
  if (statusCode < 400) return statusCode;
  if (!String(headers['content-type']).includes('json')) return 'a page';
  const { error, type, errors } = JSON.parse(body) as Record<string, unknown>;
  return error ?? (errors ? 'invalid-parameters' : String(type).replace(/.*\//, ''));
};

const emailFor = ({ isAuditor, isMember }: Endpoint) =>
  isAuditor ? auditorEmail : isMember ? memberEmail : scene.email;

const refused = ['invalid_request', 'a page', 'malformed-request', 'invalid-parameters'];

test.each(
  endpoints.flatMap((endpoint) => endpoint.knows.map((name) => [endpoint.to, name, endpoint] as const)),
)('G-04: %s refuses %s sent twice, although both are alike', async (_to, name, endpoint) => {
  const browser = testBrowser(http.app);
  if (endpoint.cookies) await browser.signIn(emailFor(endpoint), password);
  const good = (await endpoint.good?.(browser)) ?? {};
  const value = good[name] ?? 'x';
  const once = Object.entries({ ...good, [name]: value });
  const answer = await send(endpoint, browser, [...once, [name, value]]);
  expect(answer.statusCode).toBeLessThan(500);
  expect(refused).toContain(refusal(answer));
  const alone = name in good ? refusal(await send(endpoint, browser, once)) : 'not known to be right';
  expect(refused).not.toContain(alone);
});

test('G-04: no endpoint is forgotten', () => {
  const known = new Set([...endpoints.map(({ to }) => to.replace(/^\w+ /, '')), ...withoutParameters]);
  const routes = templatesOf(http.app).map((url) =>
    url.replace(/\{(\w+)\}/g, ':$1').replace(/-[0-9a-f]{12}\.(css|js)/, '-:hash.$1'),
  );
  expect(routes.filter((url) => !known.has(url) && !isOfOperators(url))).toEqual([]);
  expect([...known].filter((url) => !routes.includes(url))).toEqual([]);
});

/** Without what each copy of a page has of its own. */
const plain = (body: string) => body.replaceAll(/(?:name="csrf" value|nonce)="[^"]*"/g, '');

type Choice = readonly [url: () => string, name: string, value: () => string, email: () => string];

test.each<Choice>([
  [() => `/admin/organizations/${scene.organizationId}`, 'list', () => 'available', () => scene.email],
  [() => `/admin/organizations/${scene.organizationId}`, 'search', () => 'zzz', () => scene.email],
  [() => '/publisher', 'after', () => secretive.clientId, () => memberEmail],
  [() => '/operator', 'search', () => 'Harbour', () => operatorEmail],
  [() => '/operator/organizations', 'after', () => scene.organizationId, () => operatorEmail],
  [() => `/operator/addons/${scene.clientId}/update`, 'field', () => 'website', () => operatorEmail],
])(
  'G-04: a page shows for a parameter that is sent twice what it shows without: %o %s',
  async (urlOf, name, valueHere, emailHere) => {
    const browser = testBrowser(http.app);
    await browser.signIn(emailHere(), password);
    const [url, value] = [urlOf(), valueHere()];
    const [without, once, twice] = [
      await browser.get(url),
      await browser.get(`${url}?${name}=${value}`),
      await browser.get(`${url}?${name}=${value}&${name}=${value}`),
    ];
    expect([twice.statusCode, plain(twice.body)]).toEqual([200, plain(without.body)]);
    expect(plain(once.body)).not.toBe(plain(without.body));
  },
);

const room = join(import.meta.dirname, '../../../src/http');

/** What the code asks a request for by name. */
const namesRead = (file: string): readonly string[] =>
  [...walk(parse(readFileSync(join(room, file), 'utf8'), file))]
    .filter(
      ({ type, callee }) =>
        type === 'CallExpression' && ['one', 'only', 'isRepeated'].includes(nameOf(callee as Node)),
    )
    .map((call) => (call['arguments'] as readonly Node[])[1]?.['value'])
    .filter((name) => typeof name === 'string');

test('G-04: no parameter is forgotten', () => {
  const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const read = new Set(files.flatMap(namesRead));
  const known = new Set([
    ...endpoints.flatMap(({ knows }) => knows),
    ...operatorsForm,
    ...ofLists,
    ...streamsQuery,
  ]);
  expect(read.size).toBeGreaterThan(20);
  expect([...read].filter((name) => !known.has(name)).toSorted()).toEqual(notes);
});

test('G-04: the OAuth endpoints know these, and a table that loses one is noticed', () => {
  const sorted = (names: readonly string[]) => names.toSorted().join(' ');
  expect(sorted(singleTokenParameters)).toBe(
    'client_id client_secret code code_verifier grant_type redirect_uri refresh_token scope',
  );
  expect(sorted(singleParameters)).toBe(
    'acr_values claims claims_locales code_challenge code_challenge_method display id_token_hint login_hint ' +
      'max_age nonce organization prompt registration request request_uri response_mode response_type scope ' +
      'state subject ui_locales',
  );
  expect(sorted(presentedTokenParameters)).toBe('client_id client_secret token token_type_hint');
});
