import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectFrom } from '../../src/cli/base/connect.ts';
import { runGrantbook } from '../cli/run-grantbook.ts';
import { patience } from '../support/patience.ts';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import {
  clientSecret,
  startUpstreamProvider,
  type UpstreamProvider,
} from '../support/servers/upstream-provider.ts';
import { startScene, type Scene } from './scene.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Finding = { readonly check: string; readonly state: string };

/** The instances ask a provider that was away every 15 s. */
const waiting = { timeout: 3 * patience, interval: 250 };

describe.skipIf(!hasChromium)('two instances and a provider in Chromium (needs /usr/bin/chromium)', () => {
  const folder = temporaryFolder();
  let upstream: UpstreamProvider;
  let scene: Scene;
  let chrome: Browser;

  beforeAll(async () => {
    upstream = await startUpstreamProvider(); // it answers 503 until our service is registered there
    const file = join(folder, 'providers.json');
    const provider = { id: 'platform', name: 'Platform ID', issuer: upstream.issuer, client_id: 'grantbook' };
    writeFileSync(file, JSON.stringify([{ ...provider, client_secret: clientSecret }]));
    scene = await startScene({ SIGN_IN_PROVIDERS_FILE: file });
    chrome = await launchChromium();
  });
  afterAll(async () => {
    await chrome?.close();
    await scene?.close();
    await upstream?.close();
  });

  const readiness = async (address: string) => {
    const answer = await fetch(`${address}/health/ready`);
    return [
      answer.status,
      (await answer.json()) as { readonly status: string; readonly checks: object },
    ] as const;
  };
  const doctor = async () => {
    const ran = await runGrantbook(['doctor', '--json'], {
      env: scene.settings,
      servers: (stderr) => connectFrom({ env: scene.settings, stderr }),
    });
    const { findings } = ran.json as { readonly findings: readonly Finding[] };
    return findings.find(({ check }) => check === 'sign-in provider platform')?.state;
  };

  test('FE-01, FE-08: the service starts without the provider and names it; when the provider comes, its users sign in without a restart, on any instance, and sign out on all', async () => {
    for (const address of scene.addresses) {
      const [status, { status: word, checks }] = await readiness(address);
      expect([status, word, JSON.stringify(checks)]).toEqual([
        200,
        'degraded',
        expect.stringContaining('Platform ID'),
      ]);
    }
    expect(await doctor()).toBe('warning');
    const context = await chrome.newContext();
    const page = await context.newPage();
    const press = async () => {
      await page.goto(`${scene.proxy.url}/account`);
      await page.getByRole('button', { name: 'Sign in with Platform ID' }).click();
    };
    await press();
    expect(await page.getByRole('main').textContent()).toContain('Platform ID');
    expect(await page.getByRole('main').getByRole('link').count(), 'a way on').toBeGreaterThan(0);

    upstream.users.set('grace', { name: 'Grace Hopper' });
    upstream.signInAs('grace');
    upstream.register([scene.proxy.url], 'platform');
    await expect
      .poll(async () => {
        await press();
        return page.url();
      }, waiting)
      .toBe(`${scene.proxy.url}/account`);
    expect(await page.getByText('Grace Hopper').first().isVisible()).toBe(true);
    const begun = scene.proxy.servedAt('/sign-in/with/platform').at(-1);
    const back = scene.proxy.servedAt('/sign-in/callback/platform').at(-1);
    expect(scene.addresses, 'it began on one instance').toContain(begun);
    expect(new Set([begun, back]), 'and came back to the other').toEqual(new Set(scene.addresses));
    for (const address of scene.addresses)
      await expect.poll(async () => (await readiness(address))[1].status, waiting).toBe('ready');
    expect(await doctor()).toBe('ok');

    const statuses = async () =>
      Promise.all(
        scene.addresses.map(async (address) =>
          (await context.request.get(`${address}/account`, { maxRedirects: 0 })).status(),
        ),
      );
    expect(await statuses()).toEqual([200, 200]);
    await page.goto(`${upstream.issuer}/session/end`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect
      .poll(() => scene.proxy.servedAt('/sign-in/backchannel-logout/platform').length, waiting)
      .toBe(1);
    await expect.poll(statuses, waiting).toEqual([303, 303]);
  });
});
