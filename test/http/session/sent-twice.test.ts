import { randomBytes } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SentForms } from '../../../src/projections/working-state/ended-interactions.ts';
import { supportedTypes } from '../../../src/signals/set-types.ts';
import { pagesOf } from '../../support/documents/registered-routes.ts';
import { challenge } from '../../support/scenes/grants.ts';
import { startHttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  exchange,
  obtainTokens,
  password,
  redirectUri,
  returned,
  setScene,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { forgetCookie, formsOf, testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { optionsOf, softPasskey } from '../../support/scenes/soft-passkey.ts';

const origin = 'http://localhost:8080';
const store = memoryStore();
const statements = { claim: 0, keep: 0, release: 0 };
let http: OwnHttpApp;
/** Another instance. */
let other: FastifyInstance;
let scene: Scene;
let olive: TestBrowser;
beforeAll(async () => {
  http = await startHttpApp({
    store,
    config: { baseUrl: origin, issuer: origin },
    around: (needs) => ({
      ...needs,
      sentForms: counted(needs.sentForms),
      federation: {
        ...needs.federation,
        providers: [{ id: 'keycloak', name: 'Keycloak' }],
        leave: () => {
          const state = randomBytes(8).toString('hex');
          return Promise.resolve({ state, url: `https://id.example/authorize?state=${state}` });
        },
      },
    }),
  });
  other = http.another((needs) => ({
    ...needs,
    federation: {
      ...needs.federation,
      providers: [{ id: 'keycloak', name: 'Keycloak' }],
      leave: () => Promise.resolve({ state: 'other', url: 'https://id.example/authorize?state=other' }),
    },
  }));
  scene = await setScene(http, { name: 'Gate Keeper' });
  await activate(http, scene);
  const person = { email: 'olive@example.com', name: 'Olive', password, administratorOf: [] };
  valueOf(await http.commands.createUser({ ...person, roles: ['operator'] }));
  olive = await signedIn('olive@example.com');
  await http.settle();
});
afterAll(() => http.close());

const counted = (forms: SentForms): SentForms => ({
  claim: (...given) => (statements.claim++, forms.claim(...given)),
  keep: (...given) => (statements.keep++, forms.keep(...given)),
  release: (...given) => (statements.release++, forms.release(...given)),
});

const signedIn = async (email: string): Promise<TestBrowser> => {
  const browser = testBrowser(http.app);
  await browser.signIn(email, password);
  return browser;
};

let people = 0;
const newcomer = async (administratorOf: readonly string[] = []) => {
  people += 1;
  const email = `newcomer${people}@harbour.example`;
  const userId = await createUser(http, email, administratorOf);
  await http.settle();
  return { email, userId, browser: await signedIn(email) };
};

/** A form as it is on a page, filled in. */
type Sent = {
  readonly browser: TestBrowser;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
};

const formOn = async (
  browser: TestBrowser,
  page: string | LightMyRequestResponse,
  url: string | RegExp,
  fields: Readonly<Record<string, string>> = {},
): Promise<Sent> => {
  const { body } = typeof page === 'string' ? await browser.get(page) : page;
  const form = formsOf(body).find(({ action }) =>
    typeof url === 'string' ? action === url : url.test(action),
  );
  if (!form) throw new Error(`no form to ${String(url)} on ${body}`);
  const { logo: _file, apply_to_grants: _box, ...own } = form.fields;
  return { browser, url: form.action, fields: { ...own, ...fields } };
};

const send = (
  { browser, url, fields }: Sent,
  app: FastifyInstance,
  cookies = Object.fromEntries(browser.cookies),
) =>
  app.inject({
    method: 'POST',
    url,
    cookies,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

const shown = ({ statusCode, headers, body, cookies }: LightMyRequestResponse) => ({
  statusCode,
  location: headers.location,
  body,
  cookies: cookies.map(({ name, value }) => `${name}=${value}`),
});

const keep = (browser: TestBrowser, answer: LightMyRequestResponse): void => {
  for (const { name, value } of answer.cookies)
    if (value === '') browser.cookies.delete(name);
    else browser.cookies.set(name, value);
};

/** Without fields that tell events apart. */
const eventsSince = (count: number): readonly string[] =>
  store
    .all()
    .slice(count)
    .map(({ event, stream }) => `${event.type} ${stream}`);

const ownAddress = (template: string, values: Readonly<Record<string, string>>) =>
  template.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? name);

const grantPage = async () => {
  await obtainTokens(http, scene, {
    subject: `organization:${scene.organizationId}`,
    change: { prompt: 'consent' },
  });
  await http.settle();
  const { body } = await olive.get(`/operator/grants?addon=${scene.clientId}&state=active`);
  return /\/operator\/grants\/([0-9A-Z]{26})/.exec(body)?.[1] ?? '';
};
const approval = async () => {
  const { browser } = await newcomer();
  return { browser, page: await browser.get(authorizeUrl(scene)) };
};
const passkeyOwner = async () => {
  const { browser, userId, email } = await newcomer();
  const passkey = softPasskey(origin);
  const page = await browser.get('/account/passkeys/new');
  const added = await browser.press(page, 'Add passkey', {
    name: 'Phone',
    credential: passkey.create(optionsOf(page.body)),
  });
  return { browser, userId, email, passkey, passkeyId: String(added.headers.location).replace(/.*=/, '') };
};
const streamOf = async (addonId: string): Promise<string> => {
  const made = await http.commands.createSignalStream({
    addonId,
    caller: 'operator',
    configuration: {
      method: 'poll',
      endpointUrl: null,
      authorization: null,
      eventsRequested: supportedTypes(origin),
      description: null,
    },
  });
  await http.settle();
  return valueOf(made).stream.streamId;
};
const signalStream = async (): Promise<string> =>
  streamOf((await setScene(http, { name: 'Told', confidential: true })).clientId);

type Make = () => Promise<Sent>;
/** A form of an operator's page about something that is made for it. */
const task =
  (
    plural: string,
    id: () => Promise<string>,
    fields: Readonly<Record<string, string>> | (() => Promise<Record<string, string>>) = {},
  ) =>
  (template: string): Make =>
  async () => {
    const page = `/operator/${plural}/${await id()}`;
    await http.settle();
    const own = typeof fields === 'function' ? await fields() : fields;
    const url = `${page}/${template.replace(/.*\//, '')}`;
    return formOn(olive, `${url}?field=${Object.keys(own)[0] ?? ''}`, url, own);
  };
const organization = async () =>
  valueOf(await http.commands.createOrganization({ name: 'Club' })).organizationId;
const person = async () => (await newcomer()).userId;
const addon = async () => (await setScene(http)).clientId;
const confidentialAddon = async () => (await setScene(http, { confidential: true })).clientId;
const publisher = async () => valueOf(await http.commands.createPublisher({ name: 'Doors Ltd' })).publisherId;
const auditor = async (): Promise<string> => {
  const userId = await person();
  valueOf(await http.commands.grantRole({ userId, role: 'auditor' }));
  return userId;
};
const secretOf = async (addonId: string): Promise<string> =>
  valueOf(await http.commands.addAddonSecret(addonId)).secretId;
/** An add-on of a publisher, and a member of it. */
const published = async () => {
  const { clientId } = await setScene(http, { confidential: true });
  const publisherId = await publisher();
  const { browser, userId } = await newcomer();
  valueOf(await http.commands.setAddonPublisher({ addonId: clientId, publisherId }));
  valueOf(await http.commands.addPublisherMember({ publisherId, userId }));
  return { browser, userId, clientId };
};
type Published = Awaited<ReturnType<typeof published>>;
const proposed = async ({ clientId, userId }: Published): Promise<string> => {
  const request = { addonId: clientId, member: { userId, byClaim: true }, isFree: false };
  const website = 'https://doors.example/';
  return valueOf(await http.commands.proposeAddonChange({ ...request, website })).change.changeId;
};
/** A form of an operator's page about an add-on with a proposal. */
const decision =
  (template: string): Make =>
  async () => {
    const of = await published();
    const change = await proposed(of);
    return task('addons', () => Promise.resolve(of.clientId), { change })(template)();
  };
/** Where a publisher's form about an add-on is: on the page of the add-on, unless it has one of its own. */
const pageOfForm = async ({ browser, clientId }: Published, path: string): Promise<string> => {
  const page = `/publisher/addons/${clientId}`;
  const ofItsOwn = new RegExp(`href="(${page}/${path})"`);
  return ofItsOwn.exec((await browser.get(page)).body)?.[1] ?? page;
};

/** A form of a publisher's page about an add-on of theirs. */
const own =
  (
    path: string,
    fields: Readonly<Record<string, string>> = {},
    prepare: (of: Published) => Promise<unknown> = () => Promise.resolve(),
  ): Make =>
  async () => {
    const of = await published();
    await prepare(of);
    await http.settle();
    const page = `/publisher/addons/${of.clientId}`;
    return formOn(of.browser, await pageOfForm(of, path), new RegExp(`^${page}/${path}$`), fields);
  };

const activeAddon = async () => {
  const fresh = await setScene(http);
  const { organizationId } = scene;
  await activate(http, { ...fresh, organizationId });
  return { addon: fresh.clientId };
};
const profile = {
  name: 'Ada',
  email: 'a@example.com',
  userId: null,
  phone: null,
  locale: null,
  externalId: null,
};

const sure = { sure: 'yes' };

/** For each form of ours, a page that has it, and what its user fills in. */
const forms: Readonly<Record<string, Make | ((template: string) => Make)>> = {
  '/': async () => {
    const { browser } = await newcomer();
    return formOn(browser, '/account', '/sign-out').then((sent) => ({ ...sent, url: '/' }));
  },
  '/oauth/authorize/decision': async () => {
    const { browser, page } = await approval();
    return formOn(browser, page, '/oauth/authorize/decision', { decision: 'approve' });
  },
  '/oauth/authorize/another-user': async () => {
    const { browser, page } = await approval();
    return formOn(browser, page, '/oauth/authorize/another-user');
  },
  '/oauth/logout/confirm': async () => {
    const { browser } = await newcomer();
    return formOn(browser, `/oauth/logout?client_id=${scene.clientId}`, '/oauth/logout/confirm');
  },
  '/sign-in': async () => {
    const { email } = await newcomer();
    return formOn(testBrowser(http.app), '/sign-in', '/sign-in', { email, password });
  },
  '/sign-in/passkey': async () => {
    const { passkey } = await passkeyOwner();
    const browser = testBrowser(http.app);
    const page = await browser.get('/sign-in/passkey');
    return formOn(browser, page, '/sign-in/passkey', { credential: passkey.use(optionsOf(page.body)) });
  },
  '/sign-in/with/{provider}': () => formOn(testBrowser(http.app), '/sign-in', '/sign-in/with/keycloak'),
  '/sign-out': async () => formOn((await newcomer()).browser, '/sign-out', '/sign-out'),
  '/account/addons/{client_id}/withdraw': async () => {
    const { browser, page } = await approval();
    await browser.press(page, 'Allow');
    await http.settle();
    const url = `/account/addons/${scene.clientId}/withdraw`;
    return formOn(browser, url, url);
  },
  '/account/sessions/{session_id}/end': async () => {
    const { browser, email } = await newcomer();
    await signedIn(email);
    await http.settle();
    return formOn(browser, '/account', /^\/account\/sessions\/[0-9A-Z]{26}\/end$/);
  },
  '/account/sessions/end-others': async () => {
    const { browser, email } = await newcomer();
    await signedIn(email);
    await http.settle();
    return formOn(browser, '/account', '/account/sessions/end-others');
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/activate': async () => {
    const fresh = await setScene(http);
    const place = `/admin/organizations/${fresh.organizationId}`;
    return formOn(await signedIn(fresh.email), place, `${place}/addons/${fresh.clientId}/activate`);
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/deactivate': async () => {
    const fresh = await setScene(http);
    await activate(http, fresh);
    const url = `/admin/organizations/${fresh.organizationId}/addons/${fresh.clientId}/deactivate`;
    return formOn(await signedIn(fresh.email), url, url);
  },
  '/admin/organizations/{organization_id}/addons/{client_id}/grants/{grant_id}/revoke': async () => {
    await grantPage();
    const url = `/admin/organizations/${scene.organizationId}/addons/${scene.clientId}/grants`;
    return formOn(await signedIn(scene.email), url, new RegExp(`^${url}/[0-9A-Z]{26}/revoke$`));
  },
  '/account/tokens/new': async () => {
    const fields = { name: `Backup ${people}`, organization: scene.organizationId, days: '30' };
    return formOn(
      (await newcomer([scene.organizationId])).browser,
      '/account/tokens/new',
      '/account/tokens/new',
      fields,
    );
  },
  '/account/tokens/{token_id}/revoke': async () => {
    const { userId, browser } = await newcomer([scene.organizationId]);
    const { organizationId } = scene;
    const made = await http.commands.issueAdministratorToken({
      userId,
      by: userId,
      days: 30,
      organizationId,
      name: 'Nightly',
    });
    const url = `/account/tokens/${valueOf(made).tokenId}/revoke`;
    return formOn(browser, url, url);
  },
  '/account/password': async () => {
    const fields = { present: password, password: 'another good password', again: 'another good password' };
    return formOn((await newcomer()).browser, '/account/password', '/account/password', fields);
  },
  '/forgot-password': async () => {
    const fields = { email: `forgetful${randomBytes(4).toString('hex')}@pages.example` };
    return formOn(testBrowser(http.app), '/forgot-password', '/forgot-password', fields);
  },
  '/choose-password': async () => {
    const { token } = valueOf(await http.commands.issuePasswordLink(await person()));
    const fields = { password: 'another good password', again: 'another good password' };
    return formOn(testBrowser(http.app), `/choose-password?link=${token}`, '/choose-password', fields);
  },
  '/account/language': async () => {
    const { browser } = await newcomer();
    const fields = { language: 'de', time_zone: 'Europe/Berlin' };
    return formOn(browser, '/account/language', '/account/language', fields);
  },
  '/account/command-line': async () => {
    const asked = {
      response_type: 'code',
      client_id: 'grantbook-cli',
      redirect_uri: 'http://127.0.0.1:41234/',
      state: 'a-state-of-this-run',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    const url = `/account/command-line?${new URLSearchParams(asked).toString()}`;
    return formOn(olive, url, url, { decision: 'allow' });
  },
  '/account/passkeys/new': async () => {
    const { browser } = await newcomer();
    const page = await browser.get('/account/passkeys/new');
    const credential = softPasskey(origin).create(optionsOf(page.body));
    return formOn(browser, page, '/account/passkeys/new', { name: 'Phone', credential });
  },
  '/account/passkeys/{passkey_id}/rename': async () => {
    const { browser, passkeyId } = await passkeyOwner();
    const url = `/account/passkeys/${passkeyId}/rename`;
    return formOn(browser, url, url, { name: 'Tablet' });
  },
  '/account/passkeys/{passkey_id}/remove': async () => {
    const { browser, passkeyId } = await passkeyOwner();
    const url = `/account/passkeys/${passkeyId}/remove`;
    return formOn(browser, url, url);
  },
  '/operator/organizations/create': () =>
    formOn(olive, '/operator/organizations/create', '/operator/organizations/create', { name: 'Twice' }),
  '/operator/organizations/{organization_id}/rename': task('organizations', organization, {
    name: 'Renamed',
  }),
  '/operator/organizations/{organization_id}/set-external-id': task('organizations', organization, () =>
    Promise.resolve({ external_id: `external ${people++}` }),
  ),
  '/operator/organizations/{organization_id}/add-administrator': task(
    'organizations',
    organization,
    async () => ({
      user: await person(),
    }),
  ),
  '/operator/organizations/{organization_id}/remove-administrator': task(
    'organizations',
    () => Promise.resolve(scene.organizationId),
    async () => ({ user: (await newcomer([scene.organizationId])).userId }),
  ),
  '/operator/organizations/{organization_id}/show-to-publishers': task('organizations', organization, {
    shown_to_publishers: 'false',
  }),
  '/operator/organizations/{organization_id}/add-auditor': task('organizations', organization, async () => ({
    user: await auditor(),
  })),
  '/operator/organizations/{organization_id}/remove-auditor': task(
    'organizations',
    () => Promise.resolve(scene.organizationId),
    async () => {
      const userId = await auditor();
      valueOf(await http.commands.addAuditor({ organizationId: scene.organizationId, userId }));
      return { user: userId };
    },
  ),
  '/operator/organizations/{organization_id}/activate-addon': task(
    'organizations',
    organization,
    async () => ({ addon: await addon() }),
  ),
  '/operator/organizations/{organization_id}/deactivate-addon': task(
    'organizations',
    () => Promise.resolve(scene.organizationId),
    activeAddon,
  ),
  '/operator/organizations/{organization_id}/show-activation': task(
    'organizations',
    () => Promise.resolve(scene.organizationId),
    activeAddon,
  ),
  '/operator/organizations/{organization_id}/erase-profile': task(
    'organizations',
    async () => {
      const organizationId = await organization();
      await http.commands.recordProfile({ organizationId, id: 'P1', version: 1, record: profile });
      return organizationId;
    },
    { id: 'P1', ...sure },
  ),
  '/operator/organizations/{organization_id}/close': task('organizations', organization, sure),
  '/operator/users/create': () =>
    formOn(olive, '/operator/users/create', '/operator/users/create', {
      email: 'made@invited.example',
      name: 'Made',
    }),
  '/operator/users/invite': () =>
    formOn(olive, '/operator/users/invite', '/operator/users/invite', {
      email: 'guest@invited.example',
      name: 'Guest',
    }),
  '/operator/users/{user_id}/rename': task('users', person, { name: 'Renamed' }),
  '/operator/users/{user_id}/set-email': task('users', person, () =>
    Promise.resolve({ email: `changed${people++}@harbour.example` }),
  ),
  '/operator/users/{user_id}/set-password': task('users', person, { password: 'another good password' }),
  '/operator/users/{user_id}/reset-password': task('users', person),
  '/operator/users/{user_id}/grant-role': task('users', person, { role: 'auditor' }),
  '/operator/users/{user_id}/remove-role': task(
    'users',
    async () => {
      const userId = await person();
      valueOf(await http.commands.grantRole({ userId, role: 'auditor' }));
      return userId;
    },
    { role: 'auditor' },
  ),
  '/operator/users/{user_id}/link': task('users', person, () =>
    Promise.resolve({ provider: 'keycloak', subject: `subject ${people++}` }),
  ),
  '/operator/users/{user_id}/unlink': task(
    'users',
    async () => {
      const userId = await person();
      const identity = {
        provider: 'keycloak',
        issuer: 'https://id.example/realms/platform',
        subject: userId,
      };
      valueOf(await http.commands.linkIdentity({ userId, ...identity }));
      return userId;
    },
    { provider: 'keycloak' },
  ),
  '/operator/users/{user_id}/remove-passkey': async () => {
    const { userId, passkeyId } = await passkeyOwner();
    const page = `/operator/users/${userId}`;
    return formOn(olive, `${page}/remove-passkey`, `${page}/remove-passkey`, { passkey: passkeyId });
  },
  '/operator/users/{user_id}/create-token': task('users', auditor, { name: 'exports', days: '7' }),
  '/operator/users/{user_id}/revoke-token': (template) => async () => {
    const userId = await auditor();
    const asked = { userId, organizationId: null, name: 'exports', days: 7, by: userId };
    const { tokenId } = valueOf(await http.commands.issueAdministratorToken(asked));
    return task('users', () => Promise.resolve(userId), { token: tokenId })(template)();
  },
  '/operator/users/{user_id}/unlock': task('users', person),
  '/operator/users/{user_id}/erase': task('users', person, sure),
  '/operator/users/{user_id}/end-sessions': task('users', person),
  '/operator/users/{user_id}/disable': task('users', person),
  '/operator/users/{user_id}/enable': task('users', async () => {
    const userId = await person();
    valueOf(await http.commands.disableUser({ userId, force: false }));
    return userId;
  }),
  '/operator/addons/register': () =>
    formOn(olive, '/operator/addons/register', '/operator/addons/register', {
      name: 'Registered once',
      redirect_uri: redirectUri,
      confidential: 'on',
    }),
  '/operator/addons/{client_id}/add-secret': task('addons', confidentialAddon),
  '/operator/addons/{client_id}/remove-secret': (template) => async () => {
    const clientId = await confidentialAddon();
    const secret = await secretOf(clientId);
    return task('addons', () => Promise.resolve(clientId), { secret })(template)();
  },
  '/operator/addons/{client_id}/approve-change': decision,
  '/operator/addons/{client_id}/refuse-change': decision,
  '/operator/addons/{client_id}/update': task('addons', addon, { publisher: 'Gates & Co' }),
  '/operator/addons/{client_id}/suspend': task('addons', addon),
  '/operator/addons/{client_id}/resume': task('addons', async () => {
    const clientId = await addon();
    valueOf(await http.commands.suspendAddon(clientId));
    return clientId;
  }),
  '/operator/addons/{client_id}/retire': task('addons', addon, sure),
  '/operator/publishers/create': () =>
    formOn(olive, '/operator/publishers/create', '/operator/publishers/create', { name: 'Made once' }),
  '/operator/publishers/{publisher_id}/rename': task('publishers', publisher, { name: 'Renamed' }),
  '/operator/grants/{grant_id}/revoke': task('grants', grantPage),
  '/operator/signals/create': async () => {
    const { clientId } = await setScene(http, { confidential: true });
    return formOn(olive, '/operator/signals/create', '/operator/signals/create', { addon: clientId });
  },
  '/operator/signals/{stream_id}/pause': task('signals', signalStream),
  '/operator/signals/{stream_id}/resume': task('signals', async () => {
    const streamId = await signalStream();
    await http.commands.setSignalStreamStatus({
      streamId,
      caller: 'operator',
      status: 'paused',
      reason: null,
      by: 'transmitter',
    });
    return streamId;
  }),
  '/operator/signals/{stream_id}/test': task('signals', signalStream),
  '/operator/signals/{stream_id}/replay': task('signals', signalStream, { after: '0/0' }),
  '/operator/signals/{stream_id}/delete': task('signals', signalStream, sure),
  '/publisher/addons/{client_id}/secrets': own('secrets'),
  '/publisher/addons/{client_id}/secrets/{secret_id}/remove': own('secrets/\\w+/remove', {}, ({ clientId }) =>
    secretOf(clientId),
  ),
  '/publisher/addons/{client_id}/changes': own('changes', { website: 'https://doors.example/' }),
  '/publisher/addons/{client_id}/changes/{change_id}/withdraw': own('changes/\\w+/withdraw', {}, proposed),
  '/publisher/addons/{client_id}/signals/test': own('signals/test', {}, ({ clientId }) => streamOf(clientId)),
  '/publisher/addons/{client_id}/signals/replay': own('signals/replay', { after: '0/0' }, ({ clientId }) =>
    streamOf(clientId),
  ),
};

describe('FX-20: every form that is sent twice takes effect once, and its sender receives the first response again', () => {
  test('the forms of this test are those of our pages', async () => {
    const posts = (await pagesOf(http.app)).filter(({ method }) => method === 'POST');
    expect(Object.keys(forms).sort()).toEqual(posts.map(({ template }) => template).sort());
  });

  test.each(Object.keys(forms))('%s', async (template) => {
    const make = forms[template] as Make & ((template: string) => Make);
    const sent = make.length === 1 ? await make(template)() : await make();
    expect(new URL(sent.url, origin).pathname).toMatch(
      new RegExp(`^${ownAddress(template.replaceAll(/\{\w+\}/g, '\\w+'), {})}$`),
    );
    await http.settle();
    const before = store.all().length;
    const [first, second, elsewhere] = await Promise.all([
      send(sent, http.app),
      send(sent, http.app),
      send(sent, other),
    ]);
    expect([template, first.statusCode, first.body.slice(0, 2_000)]).toEqual([
      template,
      expect.toSatisfy((status: number) => status === 200 || status === 303),
      expect.anything(),
    ]);
    expect(shown(second)).toEqual(shown(first));
    expect(shown(elsewhere)).toEqual(shown(first));
    expect(new Set(eventsSince(before)).size).toBe(eventsSince(before).length);
    keep(sent.browser, first);
    const after = store.all().length;
    for (const app of [http.app, other]) expect(shown(await send(sent, app))).toEqual(shown(first));
    expect(store.all().length).toBe(after);
  });
});

const newTokenForm = async () => {
  const { browser, userId } = await newcomer([scene.organizationId]);
  await http.settle();
  const fields = { name: 'Backup', organization: scene.organizationId, days: '30' };
  return { userId, sent: await formOn(browser, '/account/tokens/new', '/account/tokens/new', fields) };
};
const tokenIn = (html: string) => /mkt_admin_[\w.-]+/.exec(html)?.[0];

describe('FX-20: a form', () => {
  test('that is sent 50 times at once to two instances takes effect once', async () => {
    const { userId, sent } = await newTokenForm();
    const { browser, page } = await approval();
    const allow = await formOn(browser, page, '/oauth/authorize/decision', { decision: 'approve' });
    for (const form of [sent, allow]) {
      const apps = Array.from({ length: 50 }, (_each, index) => (index % 2 === 0 ? http.app : other));
      const answers = await Promise.all(apps.map((app) => send(form, app)));
      expect(new Set(answers.map((answer) => JSON.stringify(shown(answer)))).size).toBe(1);
      expect(answers[0]?.statusCode).toBeLessThan(400);
    }
    expect(await http.commands.listAdministratorTokens(userId)).toHaveLength(1);
    expect(eventsSince(0).filter((event) => event.startsWith('AuthorizationCodeIssued')).length).toBe(
      new Set(eventsSince(0).filter((event) => event.startsWith('AuthorizationCodeIssued'))).size,
    );
  });

  test('"Allow" and "Do not allow": the add-on receives the same code, which works, or the same error', async () => {
    const decide = async (decision: string) => {
      const { browser, page } = await approval();
      const sent = await formOn(browser, page, '/oauth/authorize/decision', { decision });
      const [first, second] = [returned(await send(sent, http.app)), returned(await send(sent, other))];
      expect(second).toEqual(first);
      return second;
    };
    const { code = '' } = await decide('approve');
    expect((await exchange(http, scene, code)).statusCode).toBe(200);
    expect((await decide('deny'))['error']).toBe('access_denied');
  });

  test('costs one statement before and one after the response; a page costs none', async () => {
    const { sent } = await newTokenForm();
    const before = { ...statements };
    await sent.browser.get('/account');
    await sent.browser.get('/account/tokens/new');
    expect(statements).toEqual(before);
    await send(sent, http.app);
    expect(statements).toEqual({ ...before, claim: before.claim + 1, keep: before.keep + 1 });
  });

  test('that was refused can be sent again with other values, at a cost of one statement more', async () => {
    const { sent } = await newTokenForm();
    const before = { ...statements };
    const refused = { ...sent, fields: { ...sent.fields, days: '0' } };
    expect((await send(refused, http.app)).statusCode).toBe(400);
    expect(statements).toEqual({ ...before, claim: before.claim + 1, release: before.release + 1 });
    const done = await send(sent, other);
    expect([done.statusCode, tokenIn(done.body)]).toEqual([200, expect.any(String)]);
  });

  test('that took effect does nothing for other values, and says that it was sent', async () => {
    const { userId, sent } = await newTokenForm();
    const token = tokenIn((await send(sent, http.app)).body);
    const changed = { ...sent, fields: { ...sent.fields, name: 'Another' } };
    for (const app of [http.app, other]) {
      const answer = await send(changed, app);
      expect([answer.statusCode, answer.body]).toEqual([
        400,
        expect.stringContaining('This form has been sent before.'),
      ]);
      expect(answer.body).not.toContain(token);
    }
    expect(await http.commands.listAdministratorTokens(userId)).toHaveLength(1);
    const { browser, page } = await approval();
    const allow = await formOn(browser, page, '/oauth/authorize/decision', { decision: 'approve' });
    const code = returned(await send(allow, http.app))['code'];
    const deny = await send({ ...allow, fields: { ...allow.fields, decision: 'deny' } }, http.app);
    expect([deny.statusCode, deny.headers.location]).toEqual([400, undefined]);
    expect((await exchange(http, scene, code ?? '')).statusCode).toBe(200);
  });

  test('gives its first response to no other browser or session', async () => {
    const { sent } = await newTokenForm();
    const token = tokenIn((await send(sent, http.app)).body) ?? '';
    const stranger = (await newcomer()).browser;
    const { browser, page } = await approval();
    const allow = await formOn(browser, page, '/oauth/authorize/decision', { decision: 'approve' });
    await send(allow, http.app);
    const { email } = await newcomer();
    const signIn = await formOn(testBrowser(http.app), '/sign-in', '/sign-in', { email, password });
    await send(signIn, http.app);
    for (const form of [sent, allow, signIn])
      for (const jar of [stranger, testBrowser(http.app)]) {
        const answer = await send({ ...form, browser: jar }, other);
        expect(answer.body).not.toContain(token);
        expect(String(answer.headers.location)).not.toContain('code=');
        expect(answer.cookies.filter(({ name }) => name.startsWith('grantbook_session'))).toEqual([]);
      }
  });

  test('signs nobody out again, or in: its first response is for the session before and after it', async () => {
    const { browser, email } = await newcomer();
    const signOut = await formOn(browser, '/sign-out', '/sign-out');
    const signIn = await formOn(testBrowser(http.app), '/sign-in', '/sign-in', { email, password });
    for (const form of [signOut, signIn]) {
      keep(form.browser, await send(form, http.app));
      forgetCookie(form.browser, 'grantbook_session');
      await form.browser.signIn((await newcomer()).email, password);
      const answer = await send(form, http.app);
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.cookies.filter(({ name }) => name.startsWith('grantbook_session'))).toEqual([]);
    }
  });

  test('keeps no secret in clear: neither in a table, nor in the log of the program', async () => {
    const { sent } = await newTokenForm();
    const token = tokenIn((await send(sent, http.app)).body) ?? '';
    expect(tokenIn((await send(sent, other)).body)).toBe(token);
    const { rows } = await http.pool.query<{ line: string }>(
      'select t::text as line from ended_interactions t',
    );
    const kept = rows.map(({ line }) => line).join('\n');
    expect(kept).toContain('answer form');
    for (const secret of [token, sent.fields['csrf'] ?? '', 'Backup'])
      for (const text of [secret, Buffer.from(secret).toString('hex')]) {
        expect(kept).not.toContain(text);
        expect(JSON.stringify(http.lines)).not.toContain(text);
      }
  });

  test('whose first request ended with its process is not done again', async () => {
    const { userId, sent } = await newTokenForm();
    const dead = http.another((needs) => ({
      ...needs,
      // The row of a form that was claimed, and whose response nobody kept.
      sentForms: { ...needs.sentForms, keep: () => Promise.resolve(), release: () => Promise.resolve() },
    }));
    await send(sent, dead);
    const late = http.another((needs) => ({ ...needs, formPatience: 100 }));
    expect((await send(sent, late)).body).toContain('This form has been sent before.');
    expect(await http.commands.listAdministratorTokens(userId)).toHaveLength(1);
  });

  test('takes effect although the database cannot mark it', async () => {
    const { sent } = await newTokenForm();
    const away = http.another((needs) => ({
      ...needs,
      sentForms: { ...needs.sentForms, claim: () => Promise.reject(new Error('no database')) },
    }));
    expect((await send(sent, away)).statusCode).toBe(200);
  });

  test('AZ-40: a double click on "Sign in" that leads to a remembered consent brings one code', async () => {
    const { browser, page } = await approval();
    await browser.press(page, 'Allow');
    const email = `newcomer${people}@harbour.example`;
    const fresh = testBrowser(http.app);
    const sent = await formOn(fresh, authorizeUrl(scene), '/sign-in', { email, password });
    const [one, two] = await Promise.all([send(sent, http.app), send(sent, other)]);
    keep(fresh, one);
    expect(two.headers.location).toBe(one.headers.location);
    const next = (app: FastifyInstance) =>
      app.inject({ url: String(one.headers.location), cookies: Object.fromEntries(fresh.cookies) });
    const answers = await Promise.all([next(http.app), next(other)]);
    const codes = answers.map((answer) => returned(answer)['code']);
    expect(codes).toEqual([expect.stringMatching(/^mkt_code_/), codes[0]]);
    expect((await exchange(http, scene, codes[0] ?? '')).statusCode).toBe(200);
  });
});
