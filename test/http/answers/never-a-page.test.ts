import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeBrowser } from '../../../src/http/base/browser.ts';
import { authorize } from '../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../src/http/session/plugin.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  exchange,
  obtainCode,
  password,
  returned,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

/** AZ-24, AZ-33: whatever an authorization needs may fail; what its add-on is told is told at its redirect URI. */

const failing = new Map<string, unknown>();
const called = new Set<string>();

/** The same object, whose methods fail while their name is on the list. */
const fragile = <T extends object>(parts: T): T =>
  new Proxy(parts, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return (...given: unknown[]): unknown => {
        called.add(name);
        if (failing.has(name)) return Promise.reject(failing.get(name) as Error);
        return Reflect.apply(value, target, given);
      };
    },
  });

const http = await startPlugins((given) => {
  const commands = fragile(given.commands);
  const browserOfPages = makeBrowser({ ...given, commands });
  const parts = {
    ...given,
    browser: browserOfPages,
    commands,
    readModels: fragile(given.readModels),
    idTokens: fragile(given.idTokens),
  };
  return [authorize(parts), session(parts), tokenEndpoints(parts)];
});
const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
const browser = await signedIn(http, scene);
await activate(http, scene);
const flow = { browser, subject: 'user', change: { scope: 'openid profiles:read' } };
const idToken = (await exchange(http, scene, await obtainCode(http, scene, flow))).json().id_token;
afterAll(() => http.close());
beforeEach(() => {
  failing.clear();
  called.clear();
});

const away = new EventStoreUnavailable('the event store is away');
const fault = new Error('boom');
const causes = [
  ['temporarily_unavailable', away],
  ['server_error', fault],
] as const;

/** Everything that is asked for between the checked redirect URI and the answer. */
const needed = [
  'readSession',
  'organizationsAdministeredBy',
  'mayApproveFor',
  'showActivation',
  'rememberedScopes',
  'ownConsent',
];
const asking = (change: Readonly<Record<string, string>>) =>
  authorizeUrl(scene, { scope: 'openid profiles:read', id_token_hint: idToken, ...change });

const told = (answer: LightMyRequestResponse) => {
  expect(answer.body).toBe('');
  const { error, state, iss, code } = returned(answer);
  return { error, state, iss, code };
};
const tells = (error: string) => ({ error, state: 'st+&=%#', iss: http.baseUrl, code: undefined });

describe.each(['none', 'consent', ''])('with prompt "%s"', (prompt) => {
  test.each(causes)('AZ-24, AZ-33: the add-on gets %s when anything fails', async (error, cause) => {
    expectTrouble(/: authorization failed/);
    const names = [...needed, 'read', ...(prompt === 'consent' ? [] : ['issueCode'])];
    for (const name of names) {
      failing.clear();
      failing.set(name, cause);
      const answer = await browser.get(asking(prompt === '' ? {} : { prompt }));
      expect([name, called.has(name)]).toEqual([name, true]);
      expect([name, told(answer)]).toEqual([name, tells(error)]);
    }
  });
});

test.each(causes)('AZ-24: %s also where it goes on after the sign-in', async (error, cause) => {
  expectTrouble(/: authorization failed/);
  const visitor = testBrowser(http.app);
  const page = await visitor.get(authorizeUrl(scene));
  const next = await visitor.press(page, 'Sign in', { email: scene.email, password });
  for (const name of ['currentAddon', ...needed]) {
    failing.clear();
    failing.set(name, cause);
    const answer = await visitor.get(next.headers.location ?? '');
    expect([name, told(answer)]).toEqual([name, tells(error)]);
  }
});

test.each(causes)('AZ-24: %s also where it goes on after the approval', async (error, cause) => {
  expectTrouble(/: authorization failed/);
  for (const name of [...needed, 'approveScopes', 'issueCode']) {
    failing.clear();
    const page = await browser.get(asking({ prompt: 'consent' }));
    failing.set(name, cause);
    expect([name, told(await browser.press(page, 'Allow', { subject: 'user' }))]).toEqual([
      name,
      tells(error),
    ]);
  }
});

test('AZ-33: prompt=none is never answered with a page, whoever asks for whatever', async () => {
  const stranger = testBrowser(http.app);
  const newcomer = await setScene(http);
  const other = await signedIn(http, newcomer);
  const answers = [
    await stranger.get(asking({ prompt: 'none' })),
    await stranger.post(
      '/oauth/authorize',
      Object.fromEntries(new URL(asking({ prompt: 'none' }), http.baseUrl).searchParams),
    ),
    await browser.get(asking({ prompt: 'none', max_age: '0' })),
    await browser.get(asking({ prompt: 'none', scope: 'nothing' })),
    await other.get(asking({ prompt: 'none' })),
    await other.get(authorizeUrl(scene, { prompt: 'none' })),
  ];
  for (const answer of answers) {
    const last = answer.headers.location?.startsWith('/') ? await stranger.follow(answer) : answer;
    expect([last.statusCode, last.body]).toEqual([303, '']);
    expect(returned(last)['error']).toMatch(/^(login|consent|interaction|account_selection)_required$/);
  }
});
