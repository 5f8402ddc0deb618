import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBrand } from '../../src/config/brand.ts';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { activate, obtainTokens, password, setScene } from '../support/scenes/http-scene.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import { setStage, type Stage, type Who } from './stage.ts';
import { states } from './states.ts';

/** `REVIEW=FOLDER` takes pictures of every state with much data, for people who judge them by eye (PG-15); `REVIEW_BRAND` is a BRAND_FILE, `REVIEW_LANGUAGE` a language. */
const folder = process.env['REVIEW'];

const looks = [
  { name: 'phone', width: 320, colorScheme: 'dark' },
  { name: 'tablet', width: 768, colorScheme: 'light' },
  { name: 'desk', width: 1440, colorScheme: 'light' },
  { name: 'night', width: 1440, colorScheme: 'dark' },
  { name: 'print', width: 768, colorScheme: 'dark', media: 'print' },
  { name: 'forced', width: 768, colorScheme: 'light', forcedColors: 'active' },
] as const;

const names = [
  'Amélie Dubois',
  'محمد عبد الله',
  '王小明',
  'Søren Østergaard',
  'Zoë 🚀 Müller',
  'Nguyễn Thị Minh Khai',
  'Wolfeschlegelsteinhausenbergerdorff the Third of the Northern Harbour Authority and Its Marinas',
  'Ólafur Jóhannsson',
];

const words = ['Door', 'Gate', 'Tide', 'Mooring', 'Berth', 'Buoy', 'Ferry', 'Harbour', 'Crane', 'Locker'];
const kinds = ['Sync', 'Keeper', 'Clock', 'Map'];

/** 60 people, 40 add-ons, 130 grants, names of many kinds. */
const fill = async ({ http, harbour }: Stage): Promise<void> => {
  const people: string[] = [];
  for (let index = 0; index < 60; index += 1) {
    const name = index < names.length ? (names[index] ?? '') : `${names[index % 6]} ${index}`;
    const email = `person${index}@harbour.example`;
    const made = await http.commands.createUser({ email, name, password, administratorOf: [], roles: [] });
    if (made.ok) people.push(email);
  }
  for (let index = 0; index < 12; index += 1)
    await http.commands.createOrganization({ name: `${words[index % 10]} House ${index}` });
  const addons = [];
  for (let index = 0; index < 34; index += 1) {
    const name =
      index === 3 ? '门禁同步 مزامنة الأبواب 🚪' : `${words[index % 10]} ${kinds[index % 4]} ${index}`;
    const { clientId } = await setScene(http, { name });
    addons.push({ ...harbour, clientId });
    if (index % 3 === 0) await activate(http, { ...harbour, clientId });
  }
  const browser = testBrowser(http.app);
  for (let index = 0; index < 130; index += 1) {
    const addon = addons[index % addons.length];
    if (addon === undefined) continue;
    const email = people[index % people.length] ?? '';
    if (index % 3 === 0 && (index % addons.length) % 3 === 0)
      await obtainTokens(http, addon, { browser, subject: `organization:${harbour.organizationId}` });
    else await obtainTokens(http, { ...addon, email }, {});
  }
  await http.settle();
  await http.tellHistory();
};

const more: readonly (readonly [name: string, who: Who, path: (stage: Stage) => string])[] = [
  ['x-start', 'audrey', () => '/?choose'],
  ['x-users', 'audrey', () => '/operator/users?sort=-name'],
  ['x-users-search', 'audrey', () => '/operator/users?search=Am&sort=email'],
  ['x-addons', 'audrey', () => '/operator/addons'],
  ['x-organizations', 'audrey', () => '/operator/organizations'],
  ['x-create', 'audrey', () => '/operator/organizations/create'],
  ['x-grants-2', 'audrey', () => '/operator/grants?state=active'],
  ['x-search', 'audrey', () => '/operator?search=door'],
  ['x-nothing', 'audrey', () => '/operator?search=nobody'],
  ['x-available', 'ada', ({ harbour }) => `/admin/organizations/${harbour.organizationId}?list=available`],
  [
    'x-deactivated',
    'ada',
    ({ harbour }) => `/admin/organizations/${harbour.organizationId}?list=deactivated`,
  ],
  ['x-redirect', 'audrey', (stage) => ofActive(stage, 'update?field=redirect_uris')],
  ['x-scopes', 'audrey', (stage) => ofActive(stage, 'update?field=scopes')],
  ['x-retire', 'audrey', (stage) => ofActive(stage, 'retire')],
  ['x-disable', 'audrey', ({ harbour }) => `/operator/users/${harbour.userId}/disable`],
  ['x-history', 'audrey', ({ harbour }) => `/audit?organization=${harbour.organizationId}`],
];
const ofActive = ({ addons }: Stage, task: string) => `/operator/addons/${addons.active.clientId}/${task}`;

describe.skipIf(folder === undefined || !hasChromium)('pictures of every state with much data', () => {
  test('PG-15', { timeout: 900_000 }, async () => {
    const only = process.env['REVIEW_ONLY']?.split(',');
    mkdirSync(folder ?? '', { recursive: true });
    const chrome = await launchChromium();
    const { brand } = readBrand(process.env['REVIEW_BRAND'] ?? null);
    // Its public address is known only once it listens.
    const branded = { brand: { value: brand, enumerable: true } };
    const stage = await setStage(chrome, (needs) => ({
      ...needs,
      config: Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(needs.config), ...branded },
      ) as typeof needs.config,
    }));
    if (process.env['REVIEW_SMALL'] === undefined) await fill(stage);
    const all = [
      ...states,
      ...more.map(([name, who, path]) => ({
        name,
        who,
        open: async (page: Awaited<ReturnType<Stage['page']>>) =>
          void (await page.goto(stage.baseUrl + path(stage))),
      })),
    ].filter(({ name }) => only === undefined || only.some((one) => name.startsWith(one)));
    for (const state of all) {
      const page = await stage.page(state.who);
      await page.setExtraHTTPHeaders({ 'accept-language': process.env['REVIEW_LANGUAGE'] ?? 'en' });
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ media: 'screen', forcedColors: 'none' });
      await state.open(page, stage);
      for (const { name, width, ...look } of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ media: 'screen', forcedColors: 'none', ...look });
        await page.screenshot({ path: join(folder ?? '', `${state.name}-${name}.png`), fullPage: true });
      }
    }
    expect(all.length).toBeGreaterThan(0);
    await stage.close();
    await chrome.close();
  });
});
