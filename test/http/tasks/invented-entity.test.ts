import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { isUlid } from '../../../src/domain/kernel/ids.ts';
import { apiAndPages } from '../../../src/http/base/scopes.ts';
import { registerEntityPages } from '../../../src/http/tasks/entity-pages.ts';
import { aboutUser, nameOf, shown, state, technical } from '../../../src/tasks/answer-fields.ts';
import { override, text, yesOrNo } from '../../../src/tasks/fields.ts';
import { entity, pageOf, task, type Json, type Services } from '../../../src/tasks/task.ts';
import { createUser, password } from '../../support/scenes/http-scene.ts';
import { formsOf, testBrowser } from '../../support/scenes/pages.ts';
import { startPlugins, type PluginApp } from '../../support/scenes/plugin-app.ts';

/** A kind of things that nobody has described to the renderer of pages. Its tasks have names that have texts. */

const words = { title: 'Filter', description: 'x' };
const quay = z.object({
  quay_id: z.string(),
  name: z.string(),
  state: state(['open', 'closed'], { open: 'good' }),
});
const shape = z.object({
  passkey_id: z.string(),
  name: nameOf(),
  website: shown(z.string(), { isSecond: true }).nullable(),
  live_grants: z.int(),
  state: state(['enabled', 'disabled'], { enabled: 'good', disabled: 'stop' }),
  user_id: aboutUser().nullable(),
  code: technical(z.string()).nullable(),
  secrets: z.array(quay).readonly(),
});

const ids = ['01JD1A3C5E7G9J1M3P5R7T9W1Y', '01JD2C4Q6S8V0X2Z4B6D8F0H2K'] as const;
const things = new Map<string, Json>(
  ids.map((id, index) => [
    id,
    {
      passkey_id: id,
      name: ['Ferry', 'Tug'][index],
      website: index === 0 ? 'https://ferry.example/' : null,
      live_grants: 1_200,
      state: index === 0 ? 'enabled' : 'disabled',
      user_id: null,
      code: 'K9',
      secrets: [
        { quay_id: 'north', name: 'North Quay', state: 'open' },
        { quay_id: 'south', name: 'South Quay', state: 'closed' },
      ],
    },
  ]),
);
const done: unknown[] = [];

const does = (name: string) => async (_services: unknown, id: string, input: Json) => {
  done.push([name, id, input]);
  if (name === 'disable' && input['force'] !== true)
    return { ok: false, refusal: 'own-account', message: 'no' } as const;
  return Promise.resolve({ ok: true, text: '', position: { commit: 1n, prepare: 1n } } as const);
};
const made = (name: string, how: Partial<Parameters<typeof task>[0]>) =>
  task({ name, summary: '', effect: '', input: z.object({}), run: does(name), ...how });

const invented = entity({
  name: 'user',
  plural: 'passkeys',
  idKey: 'passkey_id',
  shape,
  example: {},
  filters: z.object({ search: text(words).optional(), waiting_changes: yesOrNo(words).optional() }),
  columns: { name: '', live_grants: '', state: '', user_id: '' },
  show: (_services, id) => Promise.resolve(things.get(id) ?? null),
  list: (_services, { waiting_changes: isWaiting }, page) =>
    Promise.resolve(
      pageOf(
        [...things.values()].filter(({ state: now }) => isWaiting !== true || now === 'disabled'),
        ({ passkey_id: id }) => String(id as string),
        page,
      ),
    ),
  isId: isUlid,
  find: () => Promise.resolve([]),
  stream: (id) => `account-${id}`,
  work: { filters: { waiting_changes: 'true' }, count: () => Promise.resolve(1) },
  tasks: [
    made('rename', { isProperty: true, input: z.object({ name: text(words) }) }),
    made('unlock', { isMain: true }),
    made('link', { into: 'secrets' }),
    made('remove-passkey', {
      of: { part: 'secrets', fields: { passkey: 'quay_id' }, isPossible: ({ state: now }) => now === 'open' },
      ends: [],
      input: z.object({ passkey: text(words) }),
    }),
    made('disable', {
      ends: [],
      isUseful: ({ state: now }) => now === 'enabled',
      input: z.object({ force: override(words, ['own-account']).optional() }),
    }),
  ],
  making: [made('create', { input: z.object({ name: text(words) }) }), made('invite', {})],
});

let http: PluginApp;
let ada: ReturnType<typeof testBrowser>;
beforeAll(async () => {
  http = await startPlugins(({ browser }) => [
    apiAndPages(
      browser,
      () => undefined,
      (place) =>
        registerEntityPages(place, {
          browser,
          entities: [invented],
          only: (act) => act,
          servicesOf: () =>
            ({
              store: http.store,
              readModels: { names: () => Promise.resolve(new Map()) },
              commands: { addonLogo: () => Promise.resolve(null) },
              settle: () => Promise.resolve(),
            }) as unknown as Services,
          crumbs: () => [],
          navigation: () => Promise.resolve({ html: { html: '' }, waiting: 1 }),
          listAt: () => '/boats',
          headingOf: () => 'Boats',
          pageOf: (_about, id) => `/boats/${encodeURIComponent(id)}`,
        }),
    ),
  ]);
  const email = 'ada@boats.example';
  await createUser(http, email);
  ada = testBrowser(http.app, {}, new Map(Object.entries(await http.signIn(email, password))));
});
afterAll(() => http.close());

const rowOf = (html: string, name: string): string =>
  [...html.matchAll(/<tr>[^]*?<\/tr>/g)].map(([row]) => row).find((row) => row.includes(name)) ?? '';
const languages = ['en', 'de'] as const;
const get = async (url: string, language: string) =>
  (await ada.get(url, { 'accept-language': language })).body;

test.each(languages)(
  'PG-17, PG-18: its list, in %s: a row for each, with the menu of its tasks',
  async (language) => {
    const html = await get('/boats', language);
    expect(html).not.toContain('undefined');
    const [ferry, tug] = [rowOf(html, 'Ferry'), rowOf(html, 'Tug')];
    expect(ferry).toMatch(/class="initial"[^>]*>F<[^]*<a href="\/boats\/01JD1A[^"]*">/);
    expect(ferry).toMatch(/class="second"[^>]*>.*https:\/\/ferry\.example/);
    expect(ferry).toMatch(/number-cell[^>]*>1[,.]200</);
    expect(ferry).toContain('<td class="state"></td>');
    expect(tug).toMatch(/<td class="state"><span class="tag stop">/);
    expect(ferry).toMatch(
      /<details class="ways-menu">[^]*\/unlock">[^]*class="wrong" href="[^"]*\/disable">/,
    );
    expect(tug).not.toContain('/disable">');
    expect(html).toMatch(/class="work"[^>]*>[^<]+\(1\)</);
    expect(html).toMatch(/class="button" href="\/boats\/create">[^]*ways-menu[^]*href="\/boats\/invite">/);
  },
);

test.each(languages)('PG-19: its page, in %s: each action is at what it acts on', async (language) => {
  const html = await get(`/boats/${ids[0]}`, language);
  expect(html).not.toContain('undefined');
  const [head = '', rest = ''] = html.split('<section class="card" aria-labelledby="summary">');
  expect(head).toMatch(/<h1>[^]*Ferry[^]*class="sub"[^]*https:\/\/ferry\.example/);
  expect(head).toMatch(/\/unlock"[^]*<details class="ways-menu">[^]*\/disable"/);
  expect(head).not.toMatch(/\/rename|\/link|\/remove-passkey/);
  expect(rest).toMatch(/Ferry[^]*href="\/boats\/[^"]*\/rename"/);
  const [facts = '', listed = ''] = rest.split('<h2 id="secrets">');
  expect(facts).not.toContain('K9');
  expect(listed).toMatch(/href="[^"]*\/link"/);
  expect(rowOf(listed, 'North Quay')).toContain('/remove-passkey?passkey=north"');
  expect(rowOf(listed, 'South Quay')).not.toContain('/remove-passkey');
  expect(listed).toMatch(/<h2 id="technical">[^]*K9[^]*class="id">01JD1A/);
  expect(listed.match(/class="id">01JD1A/g)).toHaveLength(1);
});

test.each(languages)(
  'PG-20: its forms, in %s: what the page knows is no field, and force comes after a refusal',
  async (language) => {
    const form = await get(`/boats/${ids[0]}/remove-passkey?passkey=north`, language);
    expect(form).toMatch(/North Quay[^]*<input type="hidden" name="passkey" value="north">/);
    expect(form).not.toMatch(/<input type="text"[^>]*name="passkey"/);
    const ending = `/boats/${ids[0]}/disable`;
    const asked = await ada.get(ending, { 'accept-language': language });
    expect(asked.body).not.toContain('name="force"');
    const fields = formsOf(asked.body).find(({ action }) => action === ending)?.fields ?? {};
    const refused = await ada.post(ending, fields);
    expect([refused.statusCode, refused.body.includes('name="force"')]).toEqual([409, true]);
  },
);

test('PG-20: a form without its item leads back, and the result is a notice where one was', async () => {
  const page = `/boats/${ids[0]}`;
  for (const query of ['', '?passkey=nowhere', '?passkey=south'])
    expect((await ada.get(`${page}/remove-passkey${query}`)).headers.location).toBe(page);
  const { body } = await ada.get(`${page}/remove-passkey?passkey=north`);
  const { fields } = formsOf(body).find(({ action }) => action.endsWith('/remove-passkey')) ?? {};
  done.length = 0;
  const sent = await ada.post(`${page}/remove-passkey`, fields ?? {});
  expect([sent.statusCode, sent.headers.location]).toEqual([303, `${page}?done=remove-passkey`]);
  expect(done).toEqual([['remove-passkey', ids[0], { passkey: 'north' }]]);
  expect((await ada.follow(sent)).body).toMatch(/class="notice" role="status">Done: /);
});
