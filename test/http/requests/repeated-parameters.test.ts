import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { changeFields } from '../../../src/tasks/addons/addon-changes.ts';
import { grantsQuery, timelineQuery } from '../../../src/http/contracts/audit.ts';
import { importQuery, shownQuery } from '../../../src/http/contracts/import.ts';
import { namesOf } from '../../../src/http/contracts/parameters.ts';
import { singleParameters } from '../../../src/http/oauth/authorize/authorize-checks.ts';
import { presentedTokenParameters } from '../../../src/http/oauth/token/presented-token.ts';
import { signOutParameters } from '../../../src/http/oauth/identity/sign-out-request.ts';
import { singleTokenParameters } from '../../../src/http/oauth/token/token-checks.ts';
import { auditNames, auditPathOf } from '../../../src/http/operator/audit-paths.ts';
import { placeOf } from '../../../src/tasks/places.ts';
import { ownAddons, usageFields } from '../../../src/tasks/publishing.ts';
import { pageQuery } from '../../../src/http/tasks/describe-tasks.ts';
import { signInFields } from '../../../src/http/session/sign-in.ts';
import { acme } from '../../support/scenes/away-provider.ts';
import { commandLine, send, startWithEveryForm } from '../../support/scenes/every-form.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  obtainTokens,
  publish,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { tokenOf } from '../../support/scenes/operator-api.ts';
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
  /** Signed in; an add-on and an operator with a token. The member is one of the publisher of `secretive`. */
  readonly as?: 'administrator' | 'auditor' | 'member' | 'add-on' | 'operator';
  /** The parameters are in the address, and the body has lines. */
  readonly lines?: boolean;
};

const authorizeParameters = ['client_id', 'redirect_uri', ...singleParameters];
const lists = ['/access-rights', '/profiles', '/reservations'];
const organization = '/admin/organizations/:organization_id';
const published = '/publisher/addons/:client_id';
const publisherApi = '/publisher/api/addons';

const emails = {
  auditor: 'audrey@harbour.example',
  member: 'bea@doors.example',
  operator: 'olive@harbour.example',
};
const withForms = await startWithEveryForm({ providers: [acme] });
const { http } = withForms;
const scene = await setScene(http);
const secretive = await setScene(http, { confidential: true });
await activate(http, scene);
const auditorOf = [scene.organizationId];
await createUser(http, emails.auditor, [], { roles: ['auditor'], auditorOf });
const member = await createUser(http, emails.member);
await publish(http, secretive.clientId, member);
const operator = await createUser(http, emails.operator, [], { roles: ['operator'] });
// The add-on is one of a scene of its own: a dead token is answered so, whatever else is wrong.
const { access_token } = await obtainTokens(http, await setScene(http), { subject: 'user' });
const credentials = {
  'add-on': { authorization: `Bearer ${access_token}` },
  operator: await tokenOf(http, operator),
};
await http.settle();

const query = (change: Readonly<Record<string, string | undefined>> = {}): Values =>
  Object.fromEntries(new URL(authorizeUrl(scene, change), http.baseUrl).searchParams);
const client = () => ({ client_id: secretive.clientId, client_secret: secretive.clientSecret ?? '' });
/** Of the form of a page. */
const interactionAt = async (browser: TestBrowser, url: string): Promise<Values> => {
  const form = formsOf((await browser.get(url)).body).find(({ fields }) => 'interaction' in fields);
  return { interaction: form?.fields['interaction'] ?? '' };
};

const auditPages = {
  '/audit': ['organization', ...namesOf(timelineQuery)],
  '/audit/timeline.csv': ['organization', ...namesOf(timelineQuery)],
  '/audit/timeline.ndjson': ['organization', ...namesOf(timelineQuery)],
  '/audit/export.ndjson': ['organization'],
  '/audit/grants': ['organization', ...namesOf(grantsQuery)],
  '/audit/questions': ['organization'],
  '/audit/exposure': ['organization', 'addon', 'from', 'to'],
  '/audit/unused': ['organization', 'days', 'after_grant'],
  '/audit/log': ['organization', 'from'],
};

const endpoints: readonly Endpoint[] = [
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
    good: (browser) => interactionAt(browser, authorizeUrl(scene, { prompt: 'login' })),
    as: 'administrator',
  },
  { to: 'POST /oauth/token', knows: singleTokenParameters },
  ...(['revoke', 'introspect'] as const).map((what): Endpoint => ({
    to: `POST /oauth/${what}`,
    knows: presentedTokenParameters,
    good: () => ({ ...client(), token: 'x' }),
  })),
  { to: 'POST /oauth/userinfo', knows: ['access_token'] },
  { to: 'GET /oauth/userinfo', knows: ['access_token'] },
  { to: 'GET /oauth/logout', knows: signOutParameters },
  { to: 'POST /oauth/logout', knows: signOutParameters, as: 'administrator' },
  {
    to: 'GET /oauth/logout/continue',
    knows: ['interaction'],
    good: (browser) => interactionAt(browser, '/oauth/logout'),
    as: 'administrator',
  },
  { to: 'GET /sign-in', knows: ['return_to', 'again'], good: () => ({ return_to: '/admin' }) },
  { to: 'GET /sign-in/passkey', knows: ['interaction'] },
  { to: 'GET /forgot-password', knows: ['interaction'] },
  { to: 'GET /choose-password', knows: ['link'] },
  ...lists.map((url): Endpoint => ({
    to: `GET ${url}`,
    knows: ['page', 'per_page', 'cursor'],
    good: () => ({ page: '1', per_page: '5' }),
    as: 'add-on',
  })),
  ...['timeline', 'grants'].map((what): Endpoint => ({
    to: `GET /audit/organizations/:organization_id/${what}`,
    knows: namesOf(what === 'timeline' ? timelineQuery : grantsQuery),
    good: () => ({ limit: '5' }),
    as: 'auditor',
  })),
  ...[
    '/organizations/:organization_id/timeline',
    ...['', '.csv', '.ndjson'].map((file) => `${organization}/timeline${file}`),
  ].map((url): Endpoint => ({
    to: `GET ${url}`,
    knows: namesOf(timelineQuery),
    good: () => ({ limit: '5' }),
    as: 'administrator',
  })),
  ...Object.entries(auditPages).map(([url, query]): Endpoint => ({
    to: `GET ${url}`,
    knows: query,
    good: () => ({ organization: scene.organizationId }),
    as: 'auditor',
  })),
  {
    to: 'GET /account/command-line',
    knows: Object.keys(commandLine),
    good: () => commandLine,
    as: 'auditor',
  },
  ...['', '/:client_id/organizations', '/:client_id/refusals'].map((below): Endpoint => ({
    to: `GET ${publisherApi}${below}`,
    knows: namesOf(pageQuery),
    good: () => ({ limit: '5', after: '01JD0000000000000000000000' }),
    as: 'member',
  })),
  {
    to: `GET ${publisherApi}/:client_id/usage`,
    knows: namesOf(usageFields),
    good: () => ({ days: '5' }),
    as: 'member',
  },
  ...lists.map((list): Endpoint => ({
    to: `POST /operator/api/organizations/:organization_id/import${list}`,
    knows: namesOf(importQuery),
    good: () => ({ first_line: '1' }),
    as: 'operator',
    lines: true,
  })),
  {
    to: 'GET /operator/api/shown',
    knows: namesOf(shownQuery),
    good: () => ({ position: '0/0' }),
    as: 'operator',
  },
];

/** Of the forms, what a page need not have; the others are in test/support/scenes/every-form.ts. */
const notOnPages: Readonly<Record<string, readonly string[]>> = {
  '/sign-out': ['return_to'],
  '/sign-in': signInFields,
  '/oauth/authorize/decision': ['subject'],
  '/choose-password': ['keep_identities'],
  [`${published}/changes`]: namesOf(changeFields),
};

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
  // Of its tasks those that read something by parameters are above.
  ...ownAddons.tasks
    .map((task) => placeOf(ownAddons, task))
    .filter(({ method, input }) => method !== 'GET' || Object.keys(input.shape).length === 0)
    .map(({ url }) => url.replace(/\{(\w+)\}/g, ':$1')),
  // Of a whole service: test/cli/remote/remote-audit.system.test.ts sends each twice.
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

/** The operators' API is made from one table: test/http/operator/operator-api.test.ts sends twice. */
const isOfOperators = (url: string) =>
  url.startsWith('/operator/') && !/^\/operator\/api\/(?:audit|shown|token|.*\/import)(?:\/|$)/.test(url);

/** They choose what a page shows; twice they are none (below). */
const ofLists = ['back', 'field', 'list', 'q', 'search', 'sort'];

/** Of the streams of add-ons. */
const streamsQuery = ['stream_id'];

const ask = (
  { to, as, lines }: Endpoint,
  browser: TestBrowser,
  pairs: readonly (readonly [string, string])[],
) => {
  const [method = '', url = ''] = to.split(' ');
  const address = url
    .replace(':organization_id', scene.organizationId)
    .replace(':client_id', secretive.clientId)
    .replace(':provider', acme.id);
  const sent = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  return http.app.inject({
    method: method as 'GET',
    url: method === 'GET' || lines ? `${address}?${sent}` : address,
    cookies: Object.fromEntries(browser.cookies),
    headers: {
      ...(method === 'POST' && {
        'content-type': lines ? 'application/x-ndjson' : 'application/x-www-form-urlencoded',
      }),
      ...(as === 'add-on' || as === 'operator' ? credentials[as] : {}),
    },
    ...(method === 'POST' && { payload: lines ? '' : sent }),
  });
};

const refusal = ({ statusCode, headers, body }: LightMyRequestResponse) => {
  if (statusCode >= 500) return statusCode;
  if (statusCode === 303)
    return /error=invalid_request/.test(headers.location ?? '') ? 'invalid_request' : 303;
  if (statusCode < 400) return statusCode;
  if (!String(headers['content-type']).includes('json')) return 'a page';
  const { error, type, errors } = JSON.parse(body) as Record<string, unknown>;
  return error ?? (errors ? 'invalid-parameters' : String(type).replace(/.*\//, ''));
};

const browsers = {
  administrator: await signedIn(http, scene),
  auditor: await signedIn(http, { email: emails.auditor }),
  member: await signedIn(http, { email: emails.member }),
};
const browserOf = ({ as }: Endpoint): TestBrowser =>
  as && as in browsers ? browsers[as as keyof typeof browsers] : testBrowser(http.app);

const refused = ['invalid_request', 'a page', 'malformed-request', 'invalid-parameters'];

test.each(endpoints.map((endpoint) => [endpoint.to, endpoint] as const))(
  'G-04: %s refuses each parameter that is sent twice, although both are alike',
  async (_to, endpoint) => {
    const browser = browserOf(endpoint);
    const good = (await endpoint.good?.(browser)) ?? {};
    const twice = await Promise.all(
      endpoint.knows.map(async (name) => {
        const value = good[name] ?? 'x';
        const pairs = [...Object.entries({ ...good, [name]: value }), [name, value] as const];
        return [name, refusal(await ask(endpoint, browser, pairs))];
      }),
    );
    expect(twice).toEqual(endpoint.knows.map((name) => [name, expect.toBeOneOf(refused)]));
    const once = endpoint.good ? refusal(await ask(endpoint, browser, Object.entries(good))) : 'not tried';
    expect(refused).not.toContain(once);
  },
);

/** What the forms have that follow; those of operators have names of their own. */
const ofForms = new Set(['revision', 'sure']);

test.each(withForms.forms)('G-04: the form to %s refuses each field sent twice', async (template) => {
  const sent = await withForms.make(template);
  const { username: _forPasswordManagers, ...fields } = sent.fields;
  const names = [...new Set([...Object.keys(fields), ...(notOnPages[template] ?? [])])];
  if (!template.startsWith('/operator/')) for (const name of names) ofForms.add(name);
  const twice = names.map(async (name) => [name, refusal(await send(sent, http.app, name))]);
  expect(await Promise.all(twice)).toEqual(names.map((name) => [name, expect.toBeOneOf(refused)]));
  expect(refused).not.toContain(refusal(await send(sent, http.app)));
});

test('G-04: no endpoint is forgotten', () => {
  const known = new Set([
    ...endpoints.map(({ to }) => to.replace(/^\w+ /, '')),
    ...withoutParameters,
    ...withForms.forms.map((template) => template.replace(/\{(\w+)\}/g, ':$1')),
  ]);
  const routes = templatesOf(http.app).map((url) =>
    url.replace(/\{(\w+)\}/g, ':$1').replace(/-[0-9a-f]{12}\.(css|js)/, '-:hash.$1'),
  );
  expect(routes.filter((url) => !known.has(url) && !isOfOperators(url))).toEqual([]);
  expect([...known].filter((url) => !routes.includes(url))).toEqual([]);
});

/** Without what each copy of a page has of its own. */
const plain = (body: string) => body.replaceAll(/(?:name="csrf" value|nonce)="[^"]*"/g, '');

type Choice = readonly [url: string, name: string, value: string, email: string];

test.each<Choice>([
  [`/admin/organizations/${scene.organizationId}`, 'list', 'available', scene.email],
  [`/admin/organizations/${scene.organizationId}`, 'search', 'zzz', scene.email],
  [`/admin/organizations/${scene.organizationId}`, 'sort', '-name', scene.email],
  ['/publisher', 'after', secretive.clientId, emails.member],
  ['/operator', 'search', 'Harbour', emails.operator],
  ['/operator/organizations', 'after', scene.organizationId, emails.operator],
  [`/operator/addons/${scene.clientId}/update`, 'field', 'website', emails.operator],
])(
  'G-04: a page shows for a parameter that is sent twice what it shows without: %s %s',
  async (url, name, value, email) => {
    const browser = await signedIn(http, { email });
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
const namesRead = (file: string, text = readFileSync(join(room, file), 'utf8')): readonly string[] =>
  [...(/\b(?:one|only|isRepeated)\(/.test(text) ? walk(parse(text, file)) : [])]
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
  const read = new Set(files.flatMap((file) => namesRead(file)));
  const known = new Set([
    ...endpoints.flatMap(({ knows }) => knows),
    ...ofForms,
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
