import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { RegisterAddon } from '../../../src/commands/addons/register-addon.ts';
import type { CreateUser } from '../../../src/commands/people/accounts/create-user.ts';
import type { AllowedScope } from '../../../src/domain/access/scope.ts';
import { valueOf } from '../outcomes.ts';
import { challenge, verifier } from './grants.ts';
import type { HttpApp } from './http-app.ts';
import type { PluginApp } from './plugin-app.ts';
import { signInsByCommand, testBrowser, type TestBrowser, type Whereabouts } from './pages.ts';

export const password = 'correct horse battery staple';
export const redirectUri = 'https://addon.example/cb?x=1';
export const allowedScopes: readonly AllowedScope[] = [
  'profiles:read',
  'reservations:read',
  'access-rights:read',
];

/** The whole server, or a plugin that has what the function uses. */
export type Served = Pick<HttpApp, 'app' | 'commands' | 'settle'> & Partial<Pick<PluginApp, 'codeOf'>>;

/** An organization, its administrator, and an add-on that could be activated for it. */
export type Scene = {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
};

let counter = 0;

export const setScene = async (http: Served, addon: Partial<RegisterAddon> = {}): Promise<Scene> => {
  counter += 1;
  const { commands } = http;
  const { organizationId } = valueOf(await commands.createOrganization({ name: `Harbour Club ${counter}` }));
  const email = `ada${counter}@harbour.example`;
  const userId = await createUser(http, email, [organizationId]);
  const registered = await commands.registerAddon({
    name: 'Door Sync',
    redirectUris: [redirectUri],
    configurationUrl: 'https://addon.example/configure?from=grantbook',
    allowedScopes,
    confidential: false,
    ...addon,
  });
  if (!registered.ok) throw new Error(JSON.stringify(registered));
  await http.settle();
  return { organizationId, userId, email, ...registered.value };
};

export const createUser = async (
  { commands }: Pick<Served, 'commands'>,
  email: string,
  administratorOf: readonly string[] = [],
  more: Partial<Pick<CreateUser, 'name' | 'roles' | 'auditorOf'>> = {},
): Promise<string> => {
  const person = { email, name: 'Ada Ahoi', password, administratorOf, roles: [], ...more };
  const user = await commands.createUser(person);
  if (!user.ok) throw new Error(JSON.stringify(user));
  return user.value.userId;
};

/** A browser in which somebody has signed in: on the page, if it says where it is, or has cookies already. */
export const signedIn = async (
  { app }: Pick<Served, 'app'>,
  { email }: Pick<Scene, 'email'>,
  from?: Whereabouts,
  cookies?: Map<string, string>,
): Promise<TestBrowser> => {
  const byCommand = !from && !cookies && (await signInsByCommand.get(app)?.(email, password));
  if (byCommand) return testBrowser(app, {}, new Map(Object.entries(byCommand)));
  const browser = testBrowser(app, from, cookies);
  await browser.signIn(email, password);
  return browser;
};

/** Makes a user a member of the publisher of an add-on. @returns the publisher's id */
export const publish = async (
  { commands }: Pick<Served, 'commands'>,
  addonId: string,
  userId: string,
  name = 'Doors Ltd',
): Promise<string> => {
  const { publisherId } = valueOf(await commands.createPublisher({ name }));
  valueOf(await commands.updateAddon({ addonId, publisherId }));
  valueOf(await commands.addPublisherMember({ publisherId, userId }));
  return publisherId;
};

/** Activates without a browser, so there is no hand-off. */
export const activate = async (
  http: Served,
  { organizationId, clientId: addonId, userId: by }: Scene,
): Promise<void> => {
  valueOf(await http.commands.activateAddon({ organizationId, addonId, by, sessionId: null }));
  await http.settle();
};

/** By its administrator, without a browser. */
export const deactivate = async (
  { commands }: Pick<Served, 'commands'>,
  { organizationId, clientId: addonId, userId: by }: Pick<Scene, 'organizationId' | 'clientId' | 'userId'>,
) => valueOf(await commands.deactivateAddon({ organizationId, addonId, by }));

type Change = Readonly<Record<string, string | undefined>>;

export const authorizeUrl = ({ clientId }: Pick<Scene, 'clientId'>, change: Change = {}): string => {
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 'st+&=%#',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...change,
  };
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(sent).toString()}`;
};

/** The parameters with which the browser returns to the add-on. */
export const returned = (answer: LightMyRequestResponse): Readonly<Record<string, string>> => {
  const { location = '' } = answer.headers;
  if (answer.statusCode !== 303 || !location.startsWith('https://addon.example/cb?x=1&'))
    throw new Error(`not sent back: ${answer.statusCode} ${location} ${answer.body}`);
  return Object.fromEntries(new URL(location).searchParams);
};

/** Options of a flow: the browser, the subject, and changed request parameters. */
export type Flow = { readonly browser?: TestBrowser; readonly subject?: string; readonly change?: Change };

export const hasPages = (app: FastifyInstance): boolean =>
  ['/sign-in', '/oauth/authorize'].every((url) => app.hasRoute({ method: 'GET', url }));

/** Signs in and approves on the pages, where there are any. @returns the code */
export const obtainCode = async (http: Served, scene: Scene, flow: Flow = {}): Promise<string> => {
  if (http.codeOf && !hasPages(http.app)) return http.codeOf(scene, flow);
  const { browser = testBrowser(http.app), subject, change } = flow;
  const page = await browser.get(authorizeUrl(scene, change));
  const fields = { email: scene.email, password };
  const next = page.body.includes('name="password"')
    ? await browser.follow(await browser.press(page, 'Sign in', fields))
    : page;
  const answer =
    next.statusCode === 303 ? next : await browser.press(next, 'Allow', subject ? { subject } : {});
  const { code } = returned(answer);
  if (code === undefined) throw new Error(`no code: ${answer.headers.location}`);
  return code;
};

export const postToken = (
  app: FastifyInstance,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });

export const exchange = ({ app }: Served, { clientId }: Pick<Scene, 'clientId'>, code: string) =>
  postToken(app, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });

export const refreshWith = ({ app }: Served, { clientId }: Pick<Scene, 'clientId'>, refreshToken: string) =>
  postToken(app, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });

export type Tokens = { readonly access_token: string; readonly refresh_token: string };

/** By commands alone, with no endpoint. */
export const tokensFor = async (http: Served, scene: Scene, flow: Flow): Promise<Tokens> => {
  const code = await obtainCode(http, scene, flow);
  const { clientId: addonId } = scene;
  const asked = { addonId, code, redirectUri, codeVerifier: verifier, resources: null };
  const { accessToken, refreshToken } = valueOf(await http.commands.exchangeCode(asked));
  return { access_token: accessToken, refresh_token: refreshToken ?? '' };
};

/** The whole flow up to a pair of tokens. */
export const obtainTokens = async (http: Served, scene: Scene, flow: Flow = {}): Promise<Tokens> => {
  if (http.codeOf && !hasPages(http.app)) return tokensFor(http, scene, flow);
  const answer = await exchange(http, scene, await obtainCode(http, scene, flow));
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json();
};

export const listWith = ({ app }: Served, url: string, accessToken: string) =>
  app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${accessToken}` } });
