import { afterAll, expect, test } from 'vitest';
import { lists } from '../../src/http/lists/lists.ts';
import { authorize as authorizePlugin } from '../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../src/http/oauth/token/plugin.ts';
import { session } from '../../src/http/session/plugin.ts';
import { categoryOf } from '../../src/domain/kernel/stream-name.ts';
import { startPlugins } from '../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  exchange,
  obtainTokens,
  refreshWith,
  returned,
  setScene,
  type Tokens,
} from '../support/scenes/http-scene.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { testBrowser } from '../support/scenes/pages.ts';

// What one step costs, in the order in which it begins (docs/performance.md). A read of the event store costs the service
// about a millisecond of CPU, so one more is a decision, not an accident.

const calls: string[] = [];

const store = memoryStore();
const tell = (what: string, stream: string) => void calls.push(`${what} ${categoryOf(stream)}`);
const http = await startPlugins([authorizePlugin, lists, session, tokenEndpoints], {
  store: {
    ...store,
    append: (stream, ...more) => (tell('append', stream), store.append(stream, ...more)),
    read: (stream) => (tell('read', stream), store.read(stream)),
    readEnd: (stream, ...more) => (tell('read part', stream), store.readEnd(stream, ...more)),
    readBack: (stream, ...more) => (tell('read end', stream), store.readBack(stream, ...more)),
  },
});
const scene = await setScene(http);
await activate(http, scene);
const browser = testBrowser(http.app);
await obtainTokens(http, scene, { browser }); // signed in, approved, and what is cached is in the caches
afterAll(() => http.close());

const callsOf = async <T>(step: () => Promise<T>): Promise<T> => {
  await http.settle();
  calls.length = 0;
  return step();
};

const begun = ['read end addon', 'read session', 'read account'];
const subjects = ['read organization', 'read activation', 'read consent', 'read consent'];
/** The event of the code, and what may have been taken away before it (AM-12, ADR 57, ADR 60). */
const issued = ['append grant', 'read end addon', 'read organization'];

const authorize = async () => returned(await browser.get(authorizeUrl(scene)))['code'] ?? '';

test('AZ-37, AM-12: an authorization without a page reads nine streams, two of them after the event of the code', async () => {
  await callsOf(authorize);
  expect(inOrder(calls)).toEqual(inOrder([...begun, ...subjects, ...issued]));
});

test('AZ-40, AM-12: a page reads seven streams; its approval the same, the consent that it changes, and two after the event of the code', async () => {
  const page = await callsOf(() => browser.get(authorizeUrl(scene, { prompt: 'consent' })));
  expect(inOrder(calls)).toEqual(inOrder([...begun, ...subjects]));
  await callsOf(() => browser.press(page, 'Allow'));
  expect(inOrder(calls)).toEqual(inOrder([...begun, ...subjects, 'read consent', ...issued]));
});

test('AM-12: an exchange appends once, and reads one event: the newest of the add-on', async () => {
  const code = await authorize();
  await callsOf(() => exchange(http, scene, code));
  expect(calls).toEqual(['read end addon', 'append grant']);
});

test('RT-04: a refresh appends once, and reads nothing', async () => {
  const tokens = (await exchange(http, scene, await authorize())).json<Tokens>();
  await callsOf(() => refreshWith(http, scene, tokens.refresh_token));
  expect(calls).toEqual(['append grant']);
});

/** Several begin at once, in an order that does not matter. */
const inOrder = (told: readonly string[]): readonly string[] => [...told].sort();
