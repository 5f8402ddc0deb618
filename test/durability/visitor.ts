import { createHash, randomBytes } from 'node:crypto';
import { makeBrowser, type Browser } from '../../demo/browser.ts';
import { buttonOf, deactivateByHand, deactivateLink, openListOf } from '../../demo/steps/administrator.ts';
import type { Cast } from './world.ts';
import type { Code } from './token-requests.ts';

/** A signed-in administrator at the real pages. Whatever is not as expected throws: then nothing was acknowledged. */
export type Visitor = {
  /** Allows the add-on, and is sent back to it with a code. */
  allow(clientId: string): Promise<Code>;
  press(clientId: string, verb: 'Activate' | 'Deactivate'): Promise<void>;
  sees(clientId: string, verb: 'Activate' | 'Deactivate'): Promise<boolean>;
};

export const signIn = async (baseUrl: string, cast: Cast): Promise<Visitor> => {
  const browser = makeBrowser();
  const addonsPage = `${baseUrl}/admin/organizations/${cast.organizationId}`;
  const fields = { 'E-mail address': cast.email, Password: cast.password };
  const page = await browser.press(await browser.open(addonsPage), 'Sign in', fields);
  if (page.url.href !== addonsPage) throw new Error(`signing in ended at ${page.url.href}`);
  return {
    allow: (clientId) => allow(browser, baseUrl, cast.redirectUri, clientId),
    sees: async (clientId, verb) => {
      const page = await openListOf(browser, addonsPage, clientId);
      if (verb === 'Deactivate') return deactivateLink(page, clientId) !== null;
      return buttonOf(page, clientId, verb) !== null;
    },
    press: async (clientId, verb) => {
      const before = await openListOf(browser, addonsPage, clientId);
      const after =
        verb === 'Deactivate'
          ? (await deactivateByHand(browser, before, clientId)).receipt
          : await browser.press(before, buttonOf(before, clientId, verb) ?? `no button to ${verb}`);
      if (after.status !== 200) throw new Error(`${verb} was answered with ${after.status} ${after.heading}`);
    },
  };
};

const allow = async (
  browser: Browser,
  baseUrl: string,
  redirectUri: string,
  clientId: string,
): Promise<Code> => {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'profiles:read',
    state: 'any',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = await browser.open(`${baseUrl}/oauth/authorize?${query.toString()}`);
  const isAsked = !page.url.href.startsWith(redirectUri); // not again, once it was allowed
  const back = isAsked ? await browser.press(page, 'Allow') : page;
  const code = back.url.searchParams.get('code');
  if (code === null) throw new Error(`no code, but ${back.status} ${back.heading} at ${back.url.pathname}`);
  return { clientId, redirectUri, code, verifier };
};
