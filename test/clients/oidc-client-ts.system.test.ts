import type { User } from 'oidc-client-ts';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { startClientScene } from '../support/scenes/client-scene.ts';
import { password } from '../support/scenes/http-scene.ts';
import { startSinglePageAddon } from './single-page-addon.ts';

describe.skipIf(!hasChromium)('oidc-client-ts in Chromium (needs /usr/bin/chromium)', async () => {
  if (!hasChromium) return;
  const scene = await startClientScene();
  let chrome: Browser;
  let context: BrowserContext;
  beforeAll(async () => {
    chrome = await launchChromium();
    context = await chrome.newContext();
    await context.newPage();
  });
  afterAll(() => chrome?.close());

  const startAddon = (host?: string, register = scene.register) =>
    startSinglePageAddon(
      scene.issuer,
      (redirectUris, signedOut) => register('none', { redirectUris, postLogoutRedirectUris: [signedOut] }),
      host,
    );

  /** The one page, because another one costs a second, for somebody who is not signed in; each add-on has an origin of its own. */
  const open = async (url: string): Promise<{ readonly page: Page }> => {
    const [page] = context.pages();
    if (!page) throw new Error('the page is gone');
    await context.clearCookies();
    await page.goto(url);
    return { page };
  };

  /** What a call of the library answers, or its own error. */
  const ask = async (page: Page, call: string) => {
    await page.waitForFunction("typeof told === 'function'"); // the heading may stand before the script has run
    return page.evaluate<User>(`told(${call})`);
  };
  const renew = (page: Page, how = '') => ask(page, `manager.signinSilent({ ${how} })`);
  const byFrame = 'forceIframeAuth: true';

  /** Out to our pages, through them as a person goes, and back at the add-on. */
  const signIn = async (page: Page, button = 'Allow', more: Record<string, string> = {}) => {
    await page.evaluate(`void manager.signinRedirect({ extraQueryParams: ${JSON.stringify(more)} })`);
    await page.getByLabel('E-mail address').fill(scene.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('heading', { name: 'The add-on' }).waitFor();
    return ask(page, 'returned');
  };

  /** Where the frames of a page have been. */
  const framesOf = (page: Page) => {
    const addresses: string[] = [];
    const note = (frame: Frame) => {
      if (frame.parentFrame()) addresses.push(frame.url());
    };
    page.on('framenavigated', note);
    onTestFinished(() => void page.off('framenavigated', note));
    return addresses;
  };

  test('MD-07, TK-11, UI-01, ID-01: signs in by redirect, and reads tokens and person across origins', async () => {
    const { origin, clientId } = await startAddon();
    const { page } = await open(origin);
    const user = await signIn(page);
    expect(user.profile).toMatchObject({
      iss: scene.issuer,
      aud: clientId,
      sub: scene.userId,
      name: 'Ada Ahoi',
      email: scene.email,
    });
    expect([user.token_type, user.scope]).toEqual(['Bearer', 'openid profile email profiles:read']);
    expect(await scene.namesWith(user.access_token)).toEqual(['Ada Ahoi']);
  });

  test('AP-01: reads for which organization its tokens are', async () => {
    const { page } = await open((await startAddon(undefined, scene.registerActive)).origin);
    const user = await signIn(page, 'Allow', { organization: scene.organizationId });
    expect(user.profile).toMatchObject({ organization_id: scene.organizationId });
    expect((await renew(page)).profile).toMatchObject({ organization_id: scene.organizationId });
  });

  test('RT-02, RV-05, TK-11: renews by its refresh token and gives everything back, across origins', async () => {
    const { page } = await open((await startAddon()).origin);
    const first = await signIn(page);
    const second = await renew(page);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.profile.sub).toBe(scene.userId);
    expect(await scene.namesWith(second.access_token)).toEqual(['Ada Ahoi']);
    await ask(page, `manager.revokeTokens(['access_token', 'refresh_token'])`);
    expect(await scene.namesWith(second.access_token)).toBe(401);
  });

  test('AZ-33, AZ-37, AZ-21: renews silently in a frame that is only ever redirected', async () => {
    const { page } = await open((await startAddon()).origin);
    const first = await signIn(page);
    const frames = framesOf(page);
    const second = await renew(page, `${byFrame}, id_token_hint: ${JSON.stringify(first.id_token)}`);
    expect(second).toMatchObject({ profile: { sub: scene.userId } });
    expect(second.access_token).not.toBe(first.access_token);
    expect(await scene.namesWith(second.access_token)).toEqual(['Ada Ahoi']);
    expect(frames.map((address) => new URL(address).pathname)).toContain('/silent');
  });

  test('AZ-30, AZ-32: without a consent or a session the frame comes back with the reason', async () => {
    const { page } = await open((await startAddon()).origin);
    await signIn(page);
    await page.goto((await startAddon()).origin);
    expect(await renew(page, byFrame)).toMatchObject({ name: 'ErrorResponse', error: 'consent_required' });
    await context.clearCookies();
    expect(await renew(page, byFrame)).toMatchObject({ name: 'ErrorResponse', error: 'login_required' });
  });

  test('RT-17, AZ-30: signs out here too, and what was granted lives on', async () => {
    const { origin } = await startAddon();
    const { page } = await open(origin);
    const user = await signIn(page);
    await page.evaluate('void manager.signoutRedirect()');
    await page.waitForURL(`${origin}/signed-out*`);
    expect(await ask(page, 'returned')).toBeUndefined();
    expect(await renew(page, byFrame)).toMatchObject({ error: 'login_required' });
    expect(await scene.namesWith(user.access_token)).toEqual(['Ada Ahoi']);
  });

  test('AZ-41: from another site the frame brings no cookie: login_required, and the refresh token serves', async () => {
    const { page } = await open((await startAddon('localhost')).origin);
    const first = await signIn(page);
    expect(await renew(page, byFrame)).toMatchObject({ name: 'ErrorResponse', error: 'login_required' });
    const second = await renew(page);
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.profile.sub).toBe(scene.userId);
  });

  test('AZ-08: a page of ours is never shown in a frame', async () => {
    const { page } = await open((await startAddon()).origin);
    const frames = framesOf(page);
    await page.evaluate(`void told(manager.signinSilent({ ${byFrame}, prompt: 'login' }))`);
    await expect.poll(() => frames.at(-1)).toBe('chrome-error://chromewebdata/');
  });

  test('AZ-39: a denial is its ErrorResponse', async () => {
    const { origin } = await startAddon();
    const { page } = await open(origin);
    const denied = await signIn(page, 'Do not allow');
    expect(denied).toMatchObject({ name: 'ErrorResponse', error: 'access_denied' });
  });
});
