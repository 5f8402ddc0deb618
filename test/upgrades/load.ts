import * as client from 'openid-client';
import { makeBrowser, type Browser, type Page } from '../../demo/browser.ts';
import { buttonOf, deactivateByHand, openListOf } from '../../demo/steps/administrator.ts';
import { beginAuthorization } from '../support/scenes/begin-authorization.ts';

/** Who calls the service through one address, whatever is behind it. */
export type Callers = {
  readonly url: string;
  readonly redirectUri: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
};

export type Registered = { readonly clientId: string; readonly clientSecret: string };

/** Something that is done again and again until it is stopped. */
export type Client = {
  /** What went wrong, each time. */
  readonly failures: readonly string[];
  /** How often it has gone through all of it. */
  readonly rounds: () => number;
  stop(): Promise<void>;
};

export const startClient = (what: string, round: () => Promise<void>): Client => {
  const failures: string[] = [];
  let [rounds, isOver] = [0, false];
  const work = (async () => {
    while (!isOver) {
      await round().then(
        () => (rounds += 1),
        (error: unknown) => failures.push(`${what}: ${describe(error)}`),
      );
      if (failures.length > 20) return;
    }
  })();
  return { failures, rounds: () => rounds, stop: () => ((isOver = true), work) };
};

const describe = (error: unknown): string => {
  const { message, cause, stack } = error as Error;
  const why = cause instanceof Response ? cause.status : cause instanceof Error ? cause.message : '';
  return `${message} ${why} ${stack?.split('\n')[1]?.trim() ?? ''}`;
};

const expectStatus = (what: string, found: number, expected: number): void => {
  if (found !== expected) throw new Error(`${what} was answered with ${found}, not ${expected}`);
};

const configured = (callers: Callers, { clientId, clientSecret }: Registered) =>
  client.discovery(new URL(callers.url), clientId, {}, client.ClientSecretBasic(clientSecret), {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  });

const addonsPage = ({ url, organizationId }: Callers) => `${url}/admin/organizations/${organizationId}`;

const signedIn = async (callers: Callers): Promise<Browser> => {
  const browser = makeBrowser();
  const { email, password } = callers;
  const form = await browser.open(addonsPage(callers));
  const page = await browser.press(form, 'Sign in', { 'E-mail address': email, Password: password });
  expectStatus('the sign-in', page.status, 200);
  return browser;
};

const activate = async (callers: Callers, browser: Browser, { clientId }: Registered): Promise<void> => {
  const page = await openListOf(browser, addonsPage(callers), clientId);
  const button = buttonOf(page, clientId, 'Activate');
  if (button !== null) expectStatus('the activation', (await browser.press(page, button)).status, 200);
};

/** Authorizes and exchanges, as a person and an add-on do. */
const connect = async (callers: Callers, browser: Browser, config: client.Configuration) => {
  const asked = { redirect_uri: callers.redirectUri, scope: 'openid profiles:read' };
  const { checks, link } = await beginAuthorization(config, asked);
  const page = await browser.open(link.href);
  const isBack = (at: Page) => at.url.href.startsWith(callers.redirectUri);
  const back = isBack(page) ? page : await browser.press(page, 'Allow');
  if (!isBack(back)) throw new Error(`the approval ended with ${back.status} "${back.heading}"`);
  return client.authorizationCodeGrant(config, back.url, checks);
};

const list = async ({ url }: Callers, accessToken: string): Promise<number> =>
  (await fetch(`${url}/profiles`, { headers: { authorization: `Bearer ${accessToken}` } })).status;

/** Twice, so that two instances are asked by turns. */
const expectList = async (callers: Callers, accessToken: string, expected: number): Promise<void> => {
  for (const time of ['first', 'second'])
    expectStatus(`the list, the ${time} time,`, await list(callers, accessToken), expected);
};

const expectActive = async (config: client.Configuration, token: string, expected: boolean) => {
  const { active } = await client.tokenIntrospection(config, token);
  if (active !== expected) throw new Error(`introspection says active: ${active}`);
};

/** Refreshes one grant on and on, and uses each token. */
export const startRefreshing = async (callers: Callers, addon: Registered): Promise<Client> => {
  const [browser, config] = await Promise.all([signedIn(callers), configured(callers, addon)]);
  await activate(callers, browser, addon);
  let tokens = await connect(callers, browser, config);
  return startClient('refresh', async () => {
    const before = tokens.access_token;
    tokens = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expectList(callers, tokens.access_token, 200);
    await expectList(callers, before, 200);
    await expectActive(config, tokens.access_token, true);
    await client.fetchUserInfo(config, tokens.access_token, callers.userId);
  });
};

/** Authorizes, exchanges, refreshes, uses and gives back. */
export const startConnecting = async (callers: Callers, addon: Registered): Promise<Client> => {
  const [browser, config] = await Promise.all([signedIn(callers), configured(callers, addon)]);
  await activate(callers, browser, addon);
  return startClient('connect', async () => {
    const first = await connect(callers, browser, config);
    await expectList(callers, first.access_token, 200);
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    await expectList(callers, second.access_token, 200);
    await expectActive(config, second.refresh_token ?? '', true);
    await client.tokenRevocation(config, second.refresh_token ?? '');
    await expectList(callers, second.access_token, 401);
    await expectActive(config, second.access_token, false);
  });
};

/** Activates, connects, deactivates, and is refused then. */
export const startDeactivating = async (callers: Callers, addon: Registered): Promise<Client> => {
  const config = await configured(callers, addon);
  return startClient('deactivate', async () => {
    const browser = await signedIn(callers);
    await activate(callers, browser, addon);
    const tokens = await connect(callers, browser, config);
    await expectList(callers, tokens.access_token, 200);
    const page = await openListOf(browser, addonsPage(callers), addon.clientId);
    const { receipt } = await deactivateByHand(browser, page, addon.clientId);
    expectStatus('the deactivation', receipt.status, 200);
    await expectList(callers, tokens.access_token, 401);
    const answer = await client.refreshTokenGrant(config, tokens.refresh_token ?? '').then(
      () => 'tokens',
      (error: unknown) => (error as { readonly error?: string }).error,
    );
    if (answer !== 'invalid_grant') throw new Error(`the refresh after it was answered with ${answer}`);
  });
};
