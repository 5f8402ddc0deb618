import { afterAll } from 'vitest';
import { makeBrowser, type Browser, type Page } from '../../../demo/browser.ts';
import { startCallbackServer } from '../../../demo/callback-server.ts';
import { activate, password, setScene } from './http-scene.ts';
import type { RegisterAddon } from '../../../src/commands/addons/register-addon.ts';
import { startListeningApp } from '../servers/listening-app.ts';

/** How an add-on authenticates: not at all, or with its secret in one of two places (RFC 6749 §2.3.1). */
export const authentications = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type Authentication = (typeof authentications)[number];

export type Registered = { readonly clientId: string; readonly clientSecret: string };

/**
 * Setup for tests of published clients: the server on a port, a person with a profile, and a redirect URI for add-ons
 * without a server of their own. Closed when the tests of the file are done.
 */
export const startClientScene = async () => {
  const http = await startListeningApp();
  afterAll(() => http.close());
  const callback = await startCallbackServer();
  afterAll(() => callback.close());
  const { organizationId, userId, email } = await setScene(http);
  const profile = { name: 'Ada Ahoi', email, userId, phone: null, locale: null, externalId: null };
  await http.commands.recordProfile({ organizationId, id: 'ada', version: 1, record: profile });
  await http.settle();

  /** The person, on the page to which the add-on sent the browser, signs in if asked and presses the button. */
  const answer = async (browser: Browser, page: Page, button: string): Promise<Page> => {
    const asksWho = page.forms.some(({ controls }) => controls.some(({ label }) => label === 'Password'));
    const credentials = { 'E-mail address': email, Password: password };
    return browser.press(asksWho ? await browser.press(page, 'Sign in', credentials) : page, button);
  };

  /** An add-on with the scopes openid and profiles; its secret is empty when it is public. */
  const register = async (
    authentication: Authentication = 'none',
    addon: Partial<RegisterAddon> = {},
  ): Promise<Registered> => {
    const registered = await http.commands.registerAddon({
      name: 'Published Client',
      redirectUris: [callback.redirectUri],
      configurationUrl: null,
      allowedScopes: ['openid', 'profiles:read'],
      confidential: authentication !== 'none',
      ...addon,
    });
    if (!registered.ok) throw new Error(JSON.stringify(registered));
    await http.settle();
    const { clientId, clientSecret } = registered.value;
    return { clientId, clientSecret: clientSecret ?? '' };
  };

  return {
    http,
    issuer: http.baseUrl,
    redirectUri: callback.redirectUri,
    organizationId,
    userId,
    email,
    answer,

    register,

    /** Active for the person's organization, which `organization` in the link selects (AP-03). */
    registerActive: async (authentication: Authentication = 'none', addon: Partial<RegisterAddon> = {}) => {
      const configurationUrl = `${callback.redirectUri}/setup`;
      const registered = await register(authentication, { configurationUrl, ...addon });
      await activate(http, { organizationId, userId, email, ...registered });
      return registered;
    },

    /** The person follows the link, signs in if asked, and presses the button. @returns the final address */
    visit: async (
      link: string | URL,
      button: 'Allow' | 'Do not allow' = 'Allow',
      browser = makeBrowser(),
    ): Promise<Page> => answer(browser, await browser.open(String(link)), button),

    /** The result of a list request: the names, or the status of the refusal. */
    namesWith: async (accessToken: string): Promise<readonly string[] | number> => {
      const list = await fetch(`${http.baseUrl}/profiles`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      if (!list.ok) return list.status;
      const { items } = (await list.json()) as { readonly items: readonly { readonly name: string }[] };
      return items.map(({ name }) => name);
    },
  };
};
