import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHttpApp, type HttpApp } from '../support/http-app.ts';
import { activate, authorizeUrl, obtainCode, password, returned, setScene } from '../support/http-scene.ts';
import { formsOf, testBrowser } from '../support/pages.ts';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp({ startAt: Date.UTC(2026, 5, 1) });
});
afterAll(() => http.close());

describe.each([-60_000, 60_000])('TR-04: one of two instances is off by %d ms', (skew) => {
  /** A browser that each of them answers, signed in by the one whose clock is right. */
  const setUp = async () => {
    const scene = await setScene(http);
    await activate(http, scene);
    const cookies = new Map<string, string>();
    const right = testBrowser(http.app, {}, cookies);
    const off = testBrowser(http.another(undefined, skew), {}, cookies);
    return { scene, right, off, fields: { email: scene.email, password } };
  };

  test.each([{ prompt: 'login' }, { max_age: '0' }, { max_age: '5' }])(
    'AZ-34: %j signs in once, on whichever instances the browser lands',
    async (change) => {
      for (const [first, second] of [
        ['right', 'off'],
        ['off', 'right'],
      ] as const) {
        const { scene, fields, ...browsers } = await setUp();
        const page = await browsers[first].get(authorizeUrl(scene, change));
        const resume = await browsers[second].press(page, 'Sign in', fields);
        const approval = await browsers[first].follow(resume);
        expect(approval.body).toContain('Allow Door Sync?');
        const answer = await browsers[second].press(approval, 'Allow', {
          subject: `organization:${scene.organizationId}`,
        });
        expect(returned(answer)).toHaveProperty('code');
      }
    },
  );

  test.each([{ prompt: 'login' }, { max_age: '0' }])(
    'AZ-34: %j lets no older session pass, not by the address to resume at either',
    async (change) => {
      const { scene, right, off, fields } = await setUp();
      const subject = `organization:${scene.organizationId}`;
      await obtainCode(http, scene, { browser: off, subject });
      await obtainCode(http, scene, { browser: right, subject });
      for (const asked of [right, off]) {
        const page = await asked.get(authorizeUrl(scene, change));
        expect(page.body).toContain('name="password"');
        const older = new Map(asked.cookies);
        const interaction = formsOf(page.body)[0]?.fields['interaction'] ?? '';
        const silent = await asked.get(authorizeUrl(scene, { ...change, prompt: 'none', max_age: '0' }));
        expect(returned(silent)['error']).toBe('login_required');
        const resumed = (await asked.press(page, 'Sign in', fields)).headers.location ?? '';
        for (const app of [http.app, http.another(undefined, skew)]) {
          const thief = testBrowser(app, {}, older);
          for (const url of [`/oauth/authorize/continue?interaction=${interaction}`, resumed])
            expect((await thief.get(url)).body).toContain('name="password"');
        }
        expect(returned(await asked.get(resumed))).toHaveProperty('code');
      }
    },
  );
});
