import { afterEach, expect, test } from 'vitest';
import { lists } from '../../../src/http/lists/lists.ts';
import { tokenEndpoints } from '../../../src/http/oauth/token/plugin.ts';
import { LogBehind } from '../../../src/eventstore/event-store.ts';
import { classifyFailure } from '../../../src/http/answers/failures.ts';
import type { ListRequest } from '../../../src/projections/read-models.ts';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';
import { presentAs } from '../../support/scenes/presented-tokens.ts';
import {
  activate,
  exchange,
  obtainCode,
  obtainTokens,
  refreshWith,
  setScene,
  listWith,
} from '../../support/scenes/http-scene.ts';

let http: PluginApp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
  failure = null;
});

/** What the database's driver throws without a code of any kind, in its words. */
const wordless = [
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

test.each(wordless)('a database that is away is distinguished from a fault of ours: %s', (message) => {
  expect(classifyFailure(new Error(message))).toBe('unavailable');
});

/** SQLSTATEs of a server that was demoted, stops, starts, has no room, or cancels what conflicts with it. */
test.each([
  '25006',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '57014',
  '25P03',
  '08006',
  '53100',
  '53300',
  '58030',
  '40001',
])('FX-30: a database that cannot do it now is distinguished from a fault of ours: %s', (code) => {
  expect(classifyFailure(Object.assign(new Error('any words'), { code }))).toBe('unavailable');
});

test('FX-30: a wrong statement is still a fault of ours', () => {
  for (const code of ['42601', '42P01', '23505', '22P02', '25P02'])
    expect(classifyFailure(Object.assign(new Error('any words'), { code }))).toBe('internal-error');
});

test('anything else without a code is a fault of ours', () => {
  expect(classifyFailure(new Error('A page is one row'))).toBe('internal-error');
  expect(classifyFailure(new TypeError('a timeout is not a function'))).toBe('internal-error');
});

/** What everything that is wrapped in `orFails` fails with. */
let failure: Error | null = null;
const orFails =
  <Args extends readonly unknown[], T>(ask: (...args: Args) => Promise<T>) =>
  (...args: Args): Promise<T> =>
    failure ? Promise.reject(failure) : ask(...args);

test('G-07: a database that hangs makes lists and tokens answer 503 with Retry-After', async () => {
  http = await startPlugins((parts) => {
    const { refreshToken } = parts.commands;
    const { profiles } = parts.readModels;
    const commands = { ...parts.commands, refreshToken: orFails(refreshToken) };
    const readModels = {
      ...parts.readModels,
      profiles: { ...profiles, page: orFails((asked: ListRequest) => profiles.page(asked)) },
    };
    return [lists({ ...parts, readModels }), tokenEndpoints({ ...parts, commands })];
  });
  const scene = await setScene(http);
  await activate(http, scene);
  const tokens = await obtainTokens(http, scene);
  failure = new Error('Query read timeout');
  const list = await listWith(http, '/profiles', tokens.access_token);
  const refreshed = await refreshWith(http, scene, tokens.refresh_token);
  expect([list.statusCode, refreshed.statusCode]).toEqual([503, 503]);
  expect(refreshed.json().error).toBe('temporarily_unavailable');
  expect(list.headers['retry-after']).toBeDefined();
});

test('FX-42: a log that lacks what a credential proves answers 503 with Retry-After at each endpoint, and refuses nothing', async () => {
  http = await startPlugins((parts) => {
    const { exchangeCode, refreshToken, introspectToken, revokeToken } = parts.commands;
    const behind = {
      exchangeCode: orFails(exchangeCode),
      refreshToken: orFails(refreshToken),
      introspectToken: orFails(introspectToken),
      revokeToken: orFails(revokeToken),
    };
    return [tokenEndpoints({ ...parts, commands: { ...parts.commands, ...behind } })];
  });
  const [open, confidential] = [await setScene(http), await setScene(http, { confidential: true })];
  for (const scene of [open, confidential]) await activate(http, scene);
  const { access_token: token, refresh_token: refreshToken } = await obtainTokens(http, open);
  const code = await obtainCode(http, open);
  failure = new LogBehind('the log lacks it');
  const answers = [
    await exchange(http, open, code),
    await refreshWith(http, open, refreshToken),
    await presentAs(http, '/oauth/introspect', confidential, { token }),
    await presentAs(http, '/oauth/revoke', open, { token }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503, 503]);
  for (const { headers } of answers) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  for (const answer of answers) expect(answer.json().error).toBe('temporarily_unavailable');
});
