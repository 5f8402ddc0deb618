import { afterAll, describe, expect, test } from 'vitest';
import { addressOf, commandOf, listAddressOf, placeOf } from '../../src/tasks/places.ts';
import { ownAddons } from '../../src/tasks/publishing.ts';
import type { Json, Task } from '../../src/tasks/task.ts';
import { addonStream } from '../../src/domain/streams.ts';
import { packageVersion } from '../../src/process/package-root.ts';
import { runOverApi } from '../cli/remote/run-remote.ts';
import { runGrantbook } from '../cli/run-grantbook.ts';
import { valueOf } from '../support/outcomes.ts';
import { startHttpApp } from '../support/scenes/http-app.ts';
import { password, signedIn } from '../support/scenes/http-scene.ts';
import { formsOf } from '../support/scenes/pages.ts';
import { freePort } from '../support/servers/free-port.ts';
import { createPollStream } from '../support/scenes/told-addons.ts';

const port = await freePort();
const baseUrl = `http://127.0.0.1:${port}`;
const service = await startHttpApp({
  config: { baseUrl },
  around: (parts) => ({ ...parts, version: packageVersion }), // of the command line, too
});
afterAll(() => service.close());
await service.app.listen({ host: '127.0.0.1', port });
const { commands, store } = service;

const email = 'bea@doors.example';
const person = { email, name: 'Bea', password, administratorOf: [], roles: [] };
const { userId: bea } = valueOf(await commands.createUser(person));
const asked = { userId: bea, organizationId: null, name: 'daily work', days: 1, by: bea };
const { token } = valueOf(await commands.issueAdministratorToken(asked));
const { publisherId } = valueOf(await commands.createPublisher({ name: 'Doors Ltd' }));
valueOf(await commands.addPublisherMember({ publisherId, userId: bea }));
const browser = await signedIn(service, { email });

const uri = (name: string) => `https://doors.example/${name}`;
const newAddon = async () => {
  const registration = { name: 'Doors', redirectUris: [uri('cb')], configurationUrl: uri('configure') };
  const scopes = { allowedScopes: ['profiles:read'], confidential: true } as const;
  const { clientId: addonId } = valueOf(await commands.registerAddon({ ...registration, ...scopes }));
  valueOf(await commands.updateAddon({ addonId, publisherId }));
  await createPollStream({ commands }, addonId);
  return addonId;
};
const member = { userId: bea, byClaim: true };

/** What a task is done with, for an add-on. One line for each; one without a line fails. */
const inputs: Readonly<Record<string, (addonId: string) => Json | Promise<Json>>> = {
  'list-organizations': async (addonId) => {
    const { organizationId } = valueOf(await commands.createOrganization({ name: 'Quay' }));
    const who = { by: bea, sessionId: null, asOperator: true };
    valueOf(await commands.activateAddon({ organizationId, addonId, ...who }));
    return {};
  },
  'list-secrets': () => ({}),
  'add-secret': () => ({}),
  'remove-secret': async (addonId) => ({
    secret: valueOf(await commands.addAddonSecret(addonId)).secretId,
  }),
  'list-changes': async (addonId) => {
    valueOf(await commands.proposeAddonChange({ addonId, member, isFree: false, website: uri('') }));
    return {};
  },
  'propose-change': () => ({ add_redirect_uri: [uri('a'), uri('b')], website: uri('') }),
  'withdraw-change': async (addonId) => {
    const request = { addonId, member, isFree: false, website: uri('') };
    return { change: valueOf(await commands.proposeAddonChange(request)).change.changeId };
  },
  'show-signals': () => ({}),
  'test-signals': () => ({}),
  'replay-signals': () => ({ after: '1/1' }),
  'show-usage': () => ({ days: 3 }),
  'list-refusals': () => ({}),
};

const api = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: Json) => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await service.app.inject({ method, url, headers, ...(payload && { payload }) });
  expect([url, answer.statusCode, answer.body]).toEqual([
    url,
    expect.toSatisfy((status: number) => status < 300),
    expect.anything(),
  ]);
  return answer.json<Json>();
};

const command = (args: readonly string[], columns?: number) =>
  runOverApi(baseUrl, args, { env: { GRANTBOOK_TOKEN: token }, ...(columns && { columns }) });

const addressIn = (task: Task, addonId: string, input: Json) => {
  const place = placeOf(ownAddons, task);
  const url = place.url.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    String(place.inAddress[name] === undefined ? addonId : input[place.inAddress[name]]),
  );
  const body = Object.entries(input).filter(([name]) => name in place.input.shape);
  return { method: place.method, url, body: Object.fromEntries(body) };
};

type Way = (task: Task, addonId: string, input: Json) => Promise<Json | null>;
const ways: Readonly<Record<string, Way>> = {
  api: (task, addonId, input) => {
    const { method, url, body } = addressIn(task, addonId, input);
    const query = new URLSearchParams(body as Record<string, string>).toString();
    return task.isRead ? api(method, query === '' ? url : `${url}?${query}`) : api(method, url, body);
  },
  command: async (task, addonId, input) => {
    const options = Object.entries(input)
      .filter(([name]) => name !== task.argument)
      .flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, ...[value].flat().map(String)]);
    const argument = task.argument === undefined ? [] : [String(input[task.argument])];
    const words = commandOf(ownAddons, task).split(' ');
    const ran = await command([...words, addonId, ...argument, ...options, '--json']);
    expect([words, ran.exitCode, ran.stdout, ran.stderr]).toEqual([words, 0, expect.anything(), '']);
    return ran.json;
  },
  page: async (task, addonId, input) => {
    const here = `/publisher/addons/${addonId}`;
    const { body } = await browser.get(here);
    if (task.isRead) return null;
    const action = `${here}/${task.name}`;
    // Some forms have pages of their own, to which the page of the add-on links.
    const [field = ''] = Object.keys(task.of?.fields ?? {});
    const item = field === '' ? '' : `\\?${field}=${String(input[field])}`;
    const [, link] = new RegExp(`href="(${action}${item})"`).exec(body) ?? [];
    const page = link === undefined ? body : (await browser.get(link)).body;
    const isAboutIt = (fields: Json) => field === '' || fields[field] === input[field];
    const form = formsOf(page).find((one) => one.action === action && isAboutIt(one.fields));
    if (!form) throw new Error(`no form for ${task.name} on ${here}`);
    const typed = Object.entries(input).map(([name, value]) => [name, [value].flat().map(String).join('\n')]);
    const answer = await browser.post(action, { ...form.fields, ...Object.fromEntries(typed) });
    expect([action, answer.statusCode]).toEqual([action, task.name === 'add-secret' ? 200 : 303]);
    return null;
  },
};

/** Without what differs from one add-on to another. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/mkt_cs_[\w-]+/g, 'SECRET')
      .replaceAll(/"waiting":\d+,"oldest_waiting_at":(?:null|"TIME")/g, '"waiting":"SOME"'),
  );

describe('AP-10: what a member of a publisher does', () => {
  test('has a line here, for every task of the table', () => {
    expect(Object.keys(inputs).toSorted()).toEqual(ownAddons.tasks.map(({ name }) => name).toSorted());
  });

  test.each(ownAddons.tasks.map((task) => ({ task, name: task.name })))(
    '$name does the same over the API, on the command line and on the page, in the name of the member',
    async ({ task, name }) => {
      const outcomes: { way: string; answer: unknown; events: unknown; after: unknown }[] = [];
      for (const [way, perform] of Object.entries(ways)) {
        const addonId = await newAddon();
        const input = (await inputs[name]?.(addonId)) ?? {};
        await service.settle();
        const before = (await store.read(addonStream(addonId))).events.length;
        const answer = await perform(task, addonId, input);
        const { events } = await store.read(addonStream(addonId));
        const lists = ['', '/organizations', '/secrets', '/changes', '/signals'];
        const root = addressOf(ownAddons).replace('{client_id}', addonId);
        outcomes.push({
          way,
          answer: plain(answer),
          events: events.map(({ event }) => event.type),
          after: plain(await Promise.all(lists.map((below) => api('GET', `${root}${below}`)))),
        });
        expect(events.slice(before).filter(({ metadata }) => metadata.actor !== bea)).toEqual([]);
      }
      const [first, second, third] = outcomes;
      expect(second).toEqual({ ...first, way: 'command' });
      expect(third).toEqual({ ...first, way: 'page', answer: null });
    },
  );

  test('lists and shows the own add-ons on the command line, as over the API', async () => {
    const addonId = await newAddon();
    await service.settle();
    const listed = await command(['publisher', 'addon', 'list', '--json', '--limit', '1000']);
    expect(listed.json).toEqual(await api('GET', `${listAddressOf(ownAddons)}?limit=1000`));
    const shown = await command(['publisher', 'addon', 'show', addonId, '--json']);
    expect(shown.json).toEqual(await api('GET', `${listAddressOf(ownAddons)}/${addonId}`));
    const chosen = await command(['publisher', 'addon', 'list', '--columns', 'name,client_id']);
    expect([chosen.exitCode, chosen.stdout]).toEqual([0, expect.stringMatching(/^name +client_id\nDoors/)]);
  });

  test('is printed in tables that fit the terminal; a secret is shown once', async () => {
    const addonId = await newAddon();
    const secrets = await command(['publisher', 'secret', 'list', addonId], 40);
    expect(secrets.stdout).toMatch(/^secret_id\n/);
    expect(
      Math.max(
        ...secrets.stdout
          .split('\n')
          .slice(0, 2)
          .map(({ length }) => length),
      ),
    ).toBeLessThan(40);
    const added = await command(['publisher', 'secret', 'add', addonId]);
    expect(added.stdout).toMatch(
      /^Added the secret \w{26}; .*\nThe client_secret, shown only now: mkt_cs_[\w-]{43}\n$/,
    );
    const proposed = await command(['publisher', 'change', 'propose', addonId, '--website', uri('')]);
    expect(proposed.stdout).toMatch(/state +waiting/);
    expect((await command(['publisher', 'change', 'list', addonId])).stdout).toContain('waiting');
    const none = await command(['publisher', 'usage', addonId, '--days', '2']);
    expect(none.stdout).toBe('Nothing was counted.\n');
  });

  test('is refused in words, with what is wrong', async () => {
    const addonId = await newAddon();
    const error = async (...args: string[]) => (await command([...args, '--json'])).json['error'];
    expect(await error('publisher', 'change', 'propose', addonId)).toMatchObject({ code: 'change-empty' });
    expect(
      await error('publisher', 'change', 'propose', addonId, '--website', 'http://doors.example/'),
    ).toMatchObject({ problems: [{ field: 'website' }] });
    expect(await error('publisher', 'secret', 'remove', addonId, '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toMatchObject(
      {
        code: 'secret-unknown',
      },
    );
    expect(await error('publisher', 'usage', addonId, '--days', '31')).toMatchObject({ code: 'usage' });
    const gone = await command(['publisher', 'addon', 'show', '01ARZ3NDEKTSV4RRFFQ69G5FAV']);
    expect([gone.exitCode, gone.stderr]).toEqual([
      1,
      expect.stringContaining('grantbook publisher addon list finds addons'),
    ]);
    const other = await command(['publisher', 'secret', 'add', '01ARZ3NDEKTSV4RRFFQ69G5FAV']);
    expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('Refused: ')]);
    const operators = await command(['publisher', 'list']);
    expect([operators.exitCode, operators.stderr]).toEqual([1, expect.stringContaining('operator')]);
  });

  test('goes over the API alone: on the servers, the command line says so', async () => {
    const ran = await runGrantbook(['publisher', 'addon', 'list', '--json']);
    expect([ran.exitCode, ran.json]).toMatchObject([1, { error: { code: 'needs-service' } }]);
  });
});
