import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startCallbackServer } from '../../demo/callback-server.ts';
import { verifier } from '../support/scenes/grants.ts';
import type { HttpApp } from '../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  password,
  postToken,
  setScene,
  type Scene,
} from '../support/scenes/http-scene.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { startListeningApp } from '../support/servers/listening-app.ts';
import { enterPassword, inChromium } from './in-chromium.ts';

describe.skipIf(!hasChromium)('in Chromium without JavaScript (needs /usr/bin/chromium)', () => {
  let http: HttpApp;
  let addon: Awaited<ReturnType<typeof startCallbackServer>>;
  let plain: BrowserContext;
  let scene: Scene;
  let baseUrl: string;

  const here = inChromium(async (chrome) => {
    addon = await startCallbackServer();
    http = await startListeningApp();
    baseUrl = http.baseUrl;
    scene = await setScene(http, {
      redirectUris: [addon.redirectUri],
      configurationUrl: addon.redirectUri.replace('callback', 'configure'),
    });
    plain = await chrome.newContext({ javaScriptEnabled: false });
    return { close: async () => void (await Promise.all([http.close(), addon.close()])) };
  });

  /** By somebody who was never here: in the one page of those without options (another one costs a second), or in another. */
  const visit = async (
    options: BrowserContextOptions | null,
    work: (page: Page) => Promise<void>,
  ): Promise<void> => {
    const context = options ? await here.chrome.newContext({ javaScriptEnabled: false, ...options }) : plain;
    const page = context.pages()[0] ?? (await context.newPage());
    await context.clearCookies();
    const complaints: string[] = [];
    const complain = (message: ConsoleMessage) => {
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    };
    page.on('console', complain);
    try {
      await work(page);
      expect(complaints).toEqual([]);
    } finally {
      page.off('console', complain);
      if (options) await context.close();
    }
  };

  const signIn = (page: Page) => enterPassword(page, scene.email);

  const start = (change: Record<string, string> = {}) =>
    baseUrl + authorizeUrl(scene, { redirect_uri: addon.redirectUri, ...change });

  test('AZ-43: a user signs in, approves, and arrives at the add-on with a code that works', async () => {
    await visit(null, async (page) => {
      await page.goto(start());
      await signIn(page);
      await page.getByRole('heading', { name: 'Allow Door Sync?' }).waitFor();
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
      const back = new URL(page.url()).searchParams;
      expect([back.get('state'), back.get('iss')]).toEqual(['st+&=%#', baseUrl]);
      const exchanged = await postToken(http.app, {
        grant_type: 'authorization_code',
        client_id: scene.clientId,
        code: back.get('code') ?? '',
        redirect_uri: addon.redirectUri,
        code_verifier: verifier,
      });
      expect(exchanged.statusCode).toBe(200);
    });
  });

  test('AC-01, AZ-43: an administrator activates, is sent to the add-on, and approves for the organization', async () => {
    await visit(null, async (page) => {
      await page.goto(`${baseUrl}/admin`);
      await signIn(page);
      await page.getByRole('link', { name: 'Add-ons of' }).click();
      await page.locator('summary[aria-label="Actions for Door Sync"]').click();
      await page.getByRole('button', { name: 'Activate Door Sync' }).click();
      await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
      expect(page.url()).toMatch(/\/configure\?activation_hint=/);
      await page.goto(start());
      expect(await page.getByRole('radio', { name: 'Harbour Club' }).isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
      await http.settle();
      await page.goto(`${baseUrl}/admin/organizations/${scene.organizationId}`);
      await page.locator('summary[aria-label="Actions for Door Sync"]').click();
      await page.getByRole('link', { name: 'Deactivate Door Sync' }).click();
      await page.getByText('1 code issued').waitFor();
      await page.getByRole('button', { name: 'Deactivate' }).click();
      await page.getByRole('heading', { name: 'Receipt: Door Sync was deactivated' }).waitFor();
      await page.reload();
      await page.getByText('Epoch 1,').waitFor();
      await page.getByRole('link', { name: 'Add-ons of the organization' }).click();
      await page.getByText('Deactivated', { exact: true }).waitFor();
    });
  });

  test('from the sign-in to the add-on with the keyboard alone', async () => {
    await activate(http, scene);
    await visit(null, async (page) => {
      const { keyboard } = page;
      const tab = async (times: number) => {
        for (let time = 0; time < times; time += 1) await keyboard.press('Tab');
      };
      await page.goto(start({ prompt: 'consent' }));
      await tab(2); // past the name of the house
      await keyboard.type(scene.email);
      await tab(1);
      await keyboard.type(password);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Allow Door Sync?' }).waitFor();
      await tab(4); // past the header
      await keyboard.press('ArrowDown');
      expect(await page.getByRole('radio', { name: 'Just my records' }).isChecked()).toBe(true);
      await tab(1);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/^mkt_code_/);
    });
  });

  const doubleClick = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).dblclick();

  test('AZ-43, FX-20: a double click on "Allow" arrives at the add-on with a code that works, one on "Do not allow", which needs no choice, with the error', async () => {
    const decide = async (button: string) => {
      let back = new URLSearchParams();
      await visit(null, async (page) => {
        await page.goto(start({ prompt: 'consent' }));
        await signIn(page);
        await page.getByRole('heading', { name: 'Allow Door Sync?' }).waitFor();
        const choices = page.getByRole('radio');
        expect([await choices.count(), await page.getByRole('radio', { checked: true }).count()]).toEqual([
          2, 0,
        ]);
        if (button === 'Allow') await choices.first().check();
        await doubleClick(page, button);
        await page.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
        back = new URL(page.url()).searchParams;
      });
      return back;
    };
    const exchanged = await postToken(http.app, {
      grant_type: 'authorization_code',
      client_id: scene.clientId,
      code: (await decide('Allow')).get('code') ?? '',
      redirect_uri: addon.redirectUri,
      code_verifier: verifier,
    });
    expect(exchanged.statusCode).toBe(200);
    expect((await decide('Do not allow')).get('error')).toBe('access_denied');
  });

  test('FX-20: a double click shows the token, the organization and the link that the first click made', async () => {
    const email = 'olive@harbour.example';
    const administratorOf = [scene.organizationId];
    const olive = { email, name: 'Olive', password, administratorOf, roles: ['operator'] as const };
    const made = await http.commands.createUser(olive);
    await http.settle();
    await visit(null, async (page) => {
      await page.goto(`${baseUrl}/account/tokens/new`);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await doubleClick(page, 'Sign in');
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      await page.goto(`${baseUrl}/account/tokens/new`);
      await page.locator('#name').fill('Twice');
      await doubleClick(page, 'Create token');
      expect(await page.locator('code.whole').textContent()).toMatch(/^mkt_admin_/);

      await page.goto(`${baseUrl}/operator/organizations/create`);
      await page.locator('#create-name').fill('Twice House');
      await doubleClick(page, 'Create an organization');
      await page.getByText('Done: create an organization.').waitFor();
      await http.settle();
      await page.goto(`${baseUrl}/operator/organizations`);
      expect(await page.getByText('Twice House').count()).toBe(1);

      await page.goto(`${baseUrl}/operator/users/invite`);
      await page.locator('#invite-email').fill('guest@harbour.example');
      await page.locator('#invite-name').fill('Guest');
      await page.locator('form[action$="/invite"] button').dblclick();
      const link = page.locator('code.whole', { hasText: /choose-password\?link=mkt_link_/ });
      await link.waitFor();
      expect((await page.content()).split('mkt_link_')).toHaveLength(2); // PG-07: once, as a block to select
      for (const look of [{ width: 320 }, { width: 320, media: 'print' as const }]) {
        await page.setViewportSize({ width: look.width, height: 700 });
        await page.emulateMedia({ media: look.media ?? 'screen' });
        const block = await link.evaluate((code) => [
          getComputedStyle(code).userSelect,
          code.checkVisibility(),
          code.scrollWidth <= code.clientWidth,
          document.documentElement.scrollWidth <= 320,
        ]);
        expect([look, block]).toEqual([look, ['all', true, true, true]]);
      }
      await page.emulateMedia({ media: null });
      await page.setViewportSize({ width: 1280, height: 720 });
    });
    expect(made.ok && (await http.commands.listAdministratorTokens(made.value.userId))).toHaveLength(1);
  });

  test.each([
    [1440, 900],
    [320, 640],
  ])(
    'PG-21: who, what, for whom and both buttons are visible together at %i × %i, and the words follow the choice',
    async (width, height) => {
      await activate(http, scene);
      await visit({ viewport: { width, height } }, async (page) => {
        await page.goto(start({ prompt: 'consent' }));
        await signIn(page);
        await page.getByRole('heading', { name: 'Allow Door Sync?' }).waitFor();
        const parts = page.locator('h1, .choice, .scopes li, button[name=decision]');
        const places = await parts.evaluateAll((all) =>
          all.map((one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return { text: one.textContent, top, bottom };
          }),
        );
        expect(places).toHaveLength(8);
        expect(places.filter(({ top, bottom }) => top < 0 || bottom > height)).toEqual([]);
        const buttons = places.slice(-2);
        expect(
          places.slice(0, -2).filter(({ bottom }) => bottom > (buttons[0]?.top ?? 0) && width === 320),
        ).toEqual([]);
        const scopes = page.locator('.scopes');
        expect(await scopes.innerText()).toContain('names and contact details of people');
        await page.getByRole('radio', { name: /Just my records/ }).check();
        expect(await scopes.innerText()).toContain('your profile');
        expect(await scopes.innerText()).not.toContain('people');
      });
    },
  );

  test('an add-on that signs in by a popup is not cut off from it', async () => {
    await visit({ javaScriptEnabled: true }, async (page) => {
      await page.goto(addon.redirectUri);
      const opening = page.waitForEvent('popup');
      await page.evaluate(
        (address) => void window.open(address, 'sign-in', 'width=400'),
        start({ prompt: 'consent' }),
      );
      const popup = await opening;
      await signIn(popup);
      await popup.getByRole('radio').first().check();
      await popup.getByRole('button', { name: 'Allow', exact: true }).click();
      await popup.getByRole('heading', { name: 'Back at the add-on' }).waitFor();
      expect(await popup.evaluate(() => window.opener !== null)).toBe(true);
      expect(await page.evaluate(() => window.open('', 'sign-in')?.location.search)).toContain('code=');
    });
  });
});
