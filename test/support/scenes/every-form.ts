import { randomBytes } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll } from 'vitest';
import { isMaking } from '../../../src/tasks/places.ts';
import type { Config } from '../../../src/config/config.ts';
import type { HttpParts } from '../../../src/compose/server.ts';
import type { BeginOnce } from '../../../src/commands/kernel/begin-once.ts';
import { memoryStore } from '../memory/memory-store.ts';
import { valueOf } from '../outcomes.ts';
import { every, makeScenes } from './every-task.ts';
import { challenge } from './grants.ts';
import { startHttpApp } from './http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  obtainTokens,
  password,
  publish,
  redirectUri,
  setScene,
  signedIn,
} from './http-scene.ts';
import { tokenOf } from './operator-api.ts';
import { formsOf, testBrowser, type TestBrowser } from './pages.ts';
import { optionsOf, softPasskey } from './soft-passkey.ts';
import { createPollStream } from './told-addons.ts';

type Fields = Readonly<Record<string, string>>;

/** A form as it is on a page, filled in. */
export type Sent = { readonly browser: TestBrowser; readonly url: string; readonly fields: Fields };
type Make = () => Promise<Sent>;

export const origin = 'http://localhost:8080';
const sure = { sure: 'yes' };
const newPassword = { password: 'another good password', again: 'another good password' };

/** What the command line asks for when somebody signs in there. */
export const commandLine = {
  response_type: 'code',
  client_id: 'grantbook-cli',
  redirect_uri: 'http://127.0.0.1:41234/',
  state: 'a-state-of-this-run',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};

/** A provider that is left for, and that nobody comes back from. */
const leaving = ({ federation }: HttpParts, newState: () => string) => ({
  ...federation,
  providers: [{ id: 'keycloak', name: 'Keycloak' }],
  leave: () => {
    const state = newState();
    return Promise.resolve({ state, url: `https://id.example/authorize?state=${state}` });
  },
});

export const formOn = async (
  browser: TestBrowser,
  page: string | LightMyRequestResponse,
  url: string | RegExp,
  fields: Fields = {},
): Promise<Sent> => {
  const { body } = typeof page === 'string' ? await browser.get(page) : page;
  const form = formsOf(body).find(({ action }) =>
    typeof url === 'string' ? action === url : url.test(action),
  );
  if (!form) throw new Error(`no form to ${String(url)} on ${body}`);
  const { logo: _file, apply_to_grants: _box, ...own } = form.fields;
  return { browser, url: form.action, fields: { ...own, ...fields } };
};
/** On the page that has the address of the form. */
const formAt = (browser: TestBrowser, url: string, fields: Fields = {}) => formOn(browser, url, url, fields);

/**
 * Two instances, and for each form of our pages one that is made for the test, and what its user fills in. Closed when the
 * tests of the file are done.
 */
export const startWithEveryForm = async (signIn: Partial<Config['signIn']> = {}) => {
  const store = memoryStore();
  const statements = { claim: 0, keep: 0, release: 0 };
  const counted =
    (begin: BeginOnce): BeginOnce =>
    async <Answer extends object>(asked: Parameters<BeginOnce>[0]) => {
      statements.claim++;
      const begun = await begin<Answer>(asked);
      if (begun.kind !== 'first') return begun;
      return {
        ...begun,
        answered: (answer: Answer | null) => (statements.keep++, begun.answered(answer)),
        refused: () => (statements.release++, begun.refused()),
      };
    };
  const http = await startHttpApp({
    store,
    signIn,
    config: { baseUrl: origin, issuer: origin },
    around: (needs) => ({
      ...needs,
      beginOnce: counted(needs.beginOnce),
      federation: leaving(needs, () => randomBytes(8).toString('hex')),
    }),
  });
  afterAll(() => http.close());
  const other = http.another((needs) => ({ ...needs, federation: leaving(needs, () => 'other') }));
  const scene = await setScene(http, { name: 'Gate Keeper' });
  await activate(http, scene);
  const operator = { email: 'olive@example.com' };
  const operatorId = await createUser(http, operator.email, [], { name: 'Olive', roles: ['operator'] });
  const olive = await signedIn(http, operator);
  await http.settle();

  let people = 0;
  const newcomer = async (administratorOf: readonly string[] = []) => {
    people += 1;
    const email = `newcomer${people}@harbour.example`;
    const userId = await createUser(http, email, administratorOf);
    await http.settle();
    return { email, userId, browser: await signedIn(http, { email }) };
  };
  const approval = async () => {
    const { browser, email } = await newcomer();
    return { browser, email, page: await browser.get(authorizeUrl(scene)) };
  };
  const decide = async (decision: string) => {
    const { browser, page } = await approval();
    return formOn(browser, page, '/oauth/authorize/decision', { decision });
  };
  const passkeyOwner = async () => {
    const { browser, userId } = await newcomer();
    const passkey = softPasskey(origin);
    const page = await browser.get('/account/passkeys/new');
    const credential = passkey.create(optionsOf(page.body));
    const added = await browser.press(page, 'Add passkey', { name: 'Phone', credential });
    return { browser, userId, passkey, passkeyId: String(added.headers.location).replace(/.*=/, '') };
  };
  const twiceSignedIn = async () => {
    const { browser, email } = await newcomer();
    await signedIn(http, { email });
    await http.settle();
    return browser;
  };
  const grant = async () => {
    const subject = `organization:${scene.organizationId}`;
    await obtainTokens(http, scene, { subject, change: { prompt: 'consent' } });
    await http.settle();
    const { body } = await olive.get(`/operator/grants?addon=${scene.clientId}&state=active`);
    return /\/operator\/grants\/([0-9A-Z]{26})/.exec(body)?.[1] ?? '';
  };

  const { commands } = http;
  const { organizationId } = scene;
  const addon = async (confidential = false) => (await setScene(http, { confidential })).clientId;
  /** An add-on of a publisher, and a member of it. */
  const published = async () => {
    const clientId = await addon(true);
    const { browser, userId } = await newcomer();
    await publish(http, clientId, userId);
    return { browser, userId, clientId };
  };
  type Published = Awaited<ReturnType<typeof published>>;
  const proposed = async ({ clientId: addonId, userId }: Published) => {
    const member = { userId, byClaim: true };
    const proposal = { addonId, member, isFree: false, website: 'https://doors.example/' };
    return valueOf(await commands.proposeAddonChange(proposal)).change.changeId;
  };

  const scenes: ReturnType<typeof makeScenes> = {
    ...makeScenes(commands, operatorId),
    'addon update': async () => ({ id: await addon(), input: { publisher: 'Gates & Co' } }),
    'user link': async () => {
      const { userId } = await newcomer();
      return { id: userId, input: { provider: 'keycloak', subject: userId } };
    },
    'user remove-passkey': async () => {
      const { userId, passkeyId } = await passkeyOwner();
      return { id: userId, input: { passkey: passkeyId } };
    },
  };
  /** Of what is read, only that has a form which a list does not show. */
  const ofOperators = every.filter(
    ({ entity, task }) => !isMaking(entity, task) && !(task.of?.part && task.isRead),
  );
  const operatorsForms = ofOperators.map(({ entity, task, name }): [string, Make] => [
    `/operator/${entity.plural}/{${entity.idKey}}/${task.name}`,
    async () => {
      const { id, input } = (await scenes[name]?.()) ?? { id: '', input: {} };
      await http.settle();
      const fields = { ...(input as Fields), ...(task.isFinal && sure) };
      const url = `/operator/${entity.plural}/${id}/${task.name}`;
      const query = new URLSearchParams({ ...fields, field: Object.keys(fields)[0] ?? '' });
      return formOn(olive, `${url}?${query.toString()}`, url, fields);
    },
  ]);
  const making = (url: string, fields: Fields): Readonly<Record<string, Make>> => ({
    [url]: () => formAt(olive, url, fields),
  });
  /** A form of a publisher's task, on the page of an add-on of theirs unless it has one of its own. */
  const ofPublisher = (
    task: string,
    fields: Fields = {},
    prepare?: (of: Published) => Promise<unknown>,
  ): Readonly<Record<string, Make>> => ({
    [`/publisher/addons/{client_id}/${task}`]: async () => {
      const of = await published();
      await prepare?.(of);
      await http.settle();
      const page = `/publisher/addons/${of.clientId}`;
      const url = `${page}/${task}`;
      const link = new RegExp(`href="(${url}(?:\\?[^"]*)?)"`).exec((await of.browser.get(page)).body)?.[1];
      return formOn(of.browser, link ?? page, url, fields);
    },
  });

  const forms: Readonly<Record<string, Make>> = {
    '/': async () => {
      const { browser, fields } = await formOn((await newcomer()).browser, '/account', '/sign-out');
      return { browser, url: '/', fields: { csrf: fields['csrf'] ?? '', home: 'account' } };
    },
    '/oauth/authorize/decision': () => decide('approve'),
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
      return formAt(testBrowser(http.app), '/sign-in', { email, password });
    },
    '/sign-in/passkey': async () => {
      const { passkey } = await passkeyOwner();
      const browser = testBrowser(http.app);
      const page = await browser.get('/sign-in/passkey');
      return formOn(browser, page, '/sign-in/passkey', { credential: passkey.use(optionsOf(page.body)) });
    },
    '/sign-in/with/{provider}': () => formOn(testBrowser(http.app), '/sign-in', '/sign-in/with/keycloak'),
    '/sign-out': async () => formAt((await newcomer()).browser, '/sign-out'),
    '/account/addons/{client_id}/withdraw': async () => {
      const { browser, page } = await approval();
      await browser.press(page, 'Allow');
      await http.settle();
      return formAt(browser, `/account/addons/${scene.clientId}/withdraw`);
    },
    '/account/sessions/{session_id}/end': async () =>
      formOn(await twiceSignedIn(), '/account', /^\/account\/sessions\/[0-9A-Z]{26}\/end$/),
    '/account/sessions/end-others': async () =>
      formOn(await twiceSignedIn(), '/account', '/account/sessions/end-others'),
    '/admin/organizations/{organization_id}/addons/{client_id}/activate': async () => {
      const fresh = await setScene(http);
      const place = `/admin/organizations/${fresh.organizationId}`;
      return formOn(await signedIn(http, fresh), place, `${place}/addons/${fresh.clientId}/activate`);
    },
    '/admin/organizations/{organization_id}/addons/{client_id}/deactivate': async () => {
      const fresh = await setScene(http);
      await activate(http, fresh);
      const url = `/admin/organizations/${fresh.organizationId}/addons/${fresh.clientId}/deactivate`;
      return formAt(await signedIn(http, fresh), url);
    },
    '/admin/organizations/{organization_id}/addons/{client_id}/grants/{grant_id}/revoke': async () => {
      await grant();
      const url = `/admin/organizations/${organizationId}/addons/${scene.clientId}/grants`;
      return formOn(await signedIn(http, scene), url, new RegExp(`^${url}/[0-9A-Z]{26}/revoke$`));
    },
    '/account/tokens/new': async () => {
      const { browser } = await newcomer([organizationId]);
      const fields = { name: `Backup ${people}`, organization: organizationId, days: '30' };
      return formAt(browser, '/account/tokens/new', fields);
    },
    '/account/tokens/{token_id}/revoke': async () => {
      const { userId, browser } = await newcomer([organizationId]);
      await tokenOf(http, userId, organizationId);
      const [token] = await commands.listAdministratorTokens(userId);
      return formAt(browser, `/account/tokens/${token?.tokenId}/revoke`);
    },
    '/account/password': async () =>
      formAt((await newcomer()).browser, '/account/password', { present: password, ...newPassword }),
    '/forgot-password': () => {
      const email = `forgetful${randomBytes(4).toString('hex')}@pages.example`;
      return formAt(testBrowser(http.app), '/forgot-password', { email });
    },
    '/choose-password': async () => {
      const { token } = valueOf(await commands.issuePasswordLink((await newcomer()).userId));
      const page = `/choose-password?link=${token}`;
      return formOn(testBrowser(http.app), page, '/choose-password', newPassword);
    },
    '/account/language': async () => {
      const fields = { language: 'de', time_zone: 'Europe/Berlin' };
      return formAt((await newcomer()).browser, '/account/language', fields);
    },
    '/account/command-line': () => {
      const url = `/account/command-line?${new URLSearchParams(commandLine).toString()}`;
      return formAt(olive, url, { decision: 'allow' });
    },
    '/account/passkeys/new': async () => {
      const { browser } = await newcomer();
      const page = await browser.get('/account/passkeys/new');
      const credential = softPasskey(origin).create(optionsOf(page.body));
      return formOn(browser, page, '/account/passkeys/new', { name: 'Phone', credential });
    },
    '/account/passkeys/{passkey_id}/rename': async () => {
      const { browser, passkeyId } = await passkeyOwner();
      return formAt(browser, `/account/passkeys/${passkeyId}/rename`, { name: 'Tablet' });
    },
    '/account/passkeys/{passkey_id}/remove': async () => {
      const { browser, passkeyId } = await passkeyOwner();
      return formAt(browser, `/account/passkeys/${passkeyId}/remove`);
    },
    ...making('/operator/organizations/create', { name: 'Twice' }),
    ...Object.fromEntries(operatorsForms),
    ...making('/operator/users/create', { email: 'made@invited.example', name: 'Made' }),
    ...making('/operator/users/invite', { email: 'guest@invited.example', name: 'Guest' }),
    ...making('/operator/addons/register', {
      name: 'Registered once',
      redirect_uri: redirectUri,
      confidential: 'on',
    }),
    ...making('/operator/publishers/create', { name: 'Made once' }),
    '/operator/signals/create': async () =>
      formAt(olive, '/operator/signals/create', { addon: await addon(true) }),
    ...ofPublisher('add-secret'),
    ...ofPublisher('remove-secret', {}, ({ clientId }) => commands.addAddonSecret(clientId)),
    ...ofPublisher('propose-change', { website: 'https://doors.example/' }),
    ...ofPublisher('withdraw-change', {}, proposed),
    ...ofPublisher('test-signals', {}, ({ clientId }) => createPollStream(http, clientId)),
    ...ofPublisher('replay-signals', { after: '0/0' }, ({ clientId }) => createPollStream(http, clientId)),
  };
  const make = async (template: string): Promise<Sent> => {
    const sent = await forms[template]?.();
    if (!sent) throw new Error(`no form to ${template}`);
    await http.settle();
    return sent;
  };
  return {
    http,
    other,
    store,
    statements,
    scene,
    newcomer,
    approval,
    decide,
    forms: Object.keys(forms),
    make,
  };
};

/** As the browser sends it, to an instance; with one of its fields twice. */
export const send = (
  { browser, url, fields }: Sent,
  app: FastifyInstance,
  twice?: string,
): Promise<LightMyRequestResponse> => {
  const value = fields[twice ?? ''] ?? 'x';
  const payload = new URLSearchParams(twice === undefined ? fields : { ...fields, [twice]: value });
  if (twice !== undefined) payload.append(twice, value);
  return app.inject({
    method: 'POST',
    url,
    cookies: Object.fromEntries(browser.cookies),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: payload.toString(),
  });
};
