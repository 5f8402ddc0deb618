import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { makeSharedClock, offsetOf } from '../../../src/projections/database/shared-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startHttpApp, type HttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  exchange,
  obtainCode,
  obtainTokens,
  password,
  refreshWith,
  returned,
  setScene,
} from '../../support/scenes/http-scene.ts';
import { formsOf, testBrowser } from '../../support/scenes/pages.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const http = await startHttpApp({ startAt: Date.UTC(2026, 5, 1) });
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

describe.each([-60_000, 60_000])('TR-04: lifetimes, with a clock that is off by %d ms', (skew) => {
  let own: OwnHttpApp;
  let clock: ReturnType<typeof makeSharedClock>;
  let pair: readonly [HttpApp, HttpApp];
  beforeAll(async () => {
    own = await startHttpApp();
    const reader = makePipelinedReader({ databaseUrl: own.database.url, logger: quietLogger() });
    clock = makeSharedClock({ reader, own: () => Date.now() + skew, logger: quietLogger() });
    // An answer that comes late says nothing.
    await eventually(async () => {
      await clock.compare();
      if (difference() >= 2_000) throw new Error('the answer came late');
    });
    await reader.close();
    pair = [own, { ...own, app: own.another(undefined, clock.now) }];
  });
  afterAll(async () => {
    clock.stop();
    await own.close();
  });
  const difference = () => Math.abs(clock.now() - Date.now());
  const setUp = async () => {
    const scene = await setScene(own);
    await activate(own, scene);
    return { scene, subject: `organization:${scene.organizationId}` };
  };

  test('it goes with that of the database', () => {
    expect(difference()).toBeLessThan(2_000); // what an answer that is believed can be off by
  });

  test('a code, and a repeat inside the grace, are good at the other instance', async () => {
    const { scene, subject } = await setUp();
    for (const [first, second] of [pair, pair.toReversed() as [HttpApp, HttpApp]]) {
      const code = await obtainCode(first, scene, { browser: testBrowser(first.app), subject });
      expect((await exchange(second, scene, code)).statusCode).toBe(200);
      const tokens = await obtainTokens(first, scene, { browser: testBrowser(first.app), subject });
      const answers = [
        await refreshWith(first, scene, tokens.refresh_token),
        await refreshWith(second, scene, tokens.refresh_token),
      ];
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
      const [once, again] = answers.map((answer) => answer.json<{ refresh_token: string }>().refresh_token);
      expect(again).toBe(once);
    }
  });

  test('AZ-20: a sign-in of a moment ago is within max_age=30 at the other instance', async () => {
    for (const [first, second] of [pair, pair.toReversed() as [HttpApp, HttpApp]]) {
      const { scene, subject } = await setUp();
      const cookies = new Map<string, string>();
      await obtainCode(first, scene, { browser: testBrowser(first.app, {}, cookies), subject });
      const change = { max_age: '30', prompt: 'none' };
      const answer = await testBrowser(second.app, {}, cookies).get(authorizeUrl(scene, change));
      expect(returned(answer)).toHaveProperty('code');
    }
  });
});

test.each([
  ['agrees', 10_000, 10_000, 10_000, 0],
  ['agrees as far as the answer tells', 11_300, 10_000, 10_800, 0],
  ['is a minute behind', 70_000, 10_000, 10_000, 60_000],
  ['is a minute ahead', 70_000, 130_000, 130_000, -60_000],
  ['is off by an hour: for the operator to mend', 3_600_000, 0, 0, 0],
  ['cannot be told from a late answer', 70_000, 10_000, 12_100, null],
  ['went back meanwhile', 70_000, 10_000, 9_000, null],
] as const)('TR-04: a clock that %s', (_, database, asked, answered, offset) => {
  expect(offsetOf(database, asked, answered)).toBe(offset);
});
