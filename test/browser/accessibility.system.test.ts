import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { focusStops, tabThrough } from './focus.ts';
import { hasChromium } from '../support/scenes/chromium.ts';
import { inChromium } from './in-chromium.ts';
import { setStage } from './stage.ts';
import { states, type State } from './states.ts';
import { violations } from './violations.ts';
import { isRelease } from '../support/tiers.ts';

const phone = { width: 320, height: 640 };
const desktop = { width: 1280, height: 800 };
/** Both colours and both sizes in the exhaustive run, their pairs in turns; else the states take turns. */
const looksOf = (state: State): readonly (readonly ['light' | 'dark', typeof phone])[] => {
  const isEven = states.indexOf(state) % 2 === 0;
  if (!isRelease) return [isEven ? ['light', desktop] : ['dark', phone]];
  return [
    ['light', isEven ? desktop : phone],
    ['dark', isEven ? phone : desktop],
  ];
};

/** With letters twice as large nothing is cut. */
const cutByLargeLetters = async (page: Page) => {
  await page.setViewportSize({ width: 640, height: 800 });
  await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'));
  return overflow(page);
};

/** In English: documents for developers, and the answer of a form that is sent again, which is the one before. */
const inEnglish: readonly string[] = ['token-made'];

/** The page once more in German on a phone, in which words are longest: its language, and what is wrong. */
const inGerman = async (page: Page) => {
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' });
  await page.setViewportSize(phone);
  await page.reload();
  const found = [
    await page.locator('html').getAttribute('lang'),
    await violations(page),
    await overflow(page),
  ];
  await page.setExtraHTTPHeaders({});
  return found;
};

const tabsInOrder = async (page: Page): Promise<void> => {
  await page.setViewportSize(desktop);
  const stops = await focusStops(page);
  const reached = await tabThrough(page, stops.length);
  expect(reached.map(({ label }) => label)).toEqual(stops.map(({ label }) => label));
  for (const { label, outline } of reached) expect([label, outline]).toEqual([label, 'solid 3px']);
  for (const [index, { top, left, bottom }] of stops.entries()) {
    const before = stops[index - 1];
    if (!before) continue;
    const isBelow = top >= before.bottom - 4 || bottom > before.bottom + 4;
    expect([before, stops[index], isBelow || left > before.left]).toEqual([before, stops[index], true]);
  }
};

describe.skipIf(!hasChromium)('every page is for everybody (needs /usr/bin/chromium)', () => {
  const here = inChromium((chrome) => setStage(chrome));

  const at = async <T>(state: State, work: (page: Page) => Promise<T>): Promise<T> => {
    const stage = here.scene;
    const page = await stage.page(state.who);
    await page.setViewportSize(desktop);
    await state.open(page, stage);
    return work(page);
  };

  test.each(states)(
    'PG-11, PG-14: $name: WCAG 2.2 AA in both languages, in light and dark, on a phone and a desk, with letters twice as large; Tab goes in reading order, and one sees where it is',
    async (state) => {
      await at(state, async (page) => {
        expect(await page.title()).toMatch(state.title);
        expect(await page.title()).toMatch(/ – Grantbook$/);
        for (const [colorScheme, size] of looksOf(state)) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(size);
          const tooWide = size === phone ? await overflow(page) : [];
          expect([state.name, colorScheme, size.width, await violations(page), tooWide]).toEqual([
            state.name,
            colorScheme,
            size.width,
            [],
            [],
          ]);
        }
        await tabsInOrder(page);
        expect([state.name, await cutByLargeLetters(page)]).toEqual([state.name, []]);
        const language = inEnglish.includes(state.name) ? 'en' : 'de';
        expect(await inGerman(page)).toEqual([language, [], []]);
      });
    },
  );

  test('the lag of the read models is drawn on paper, too, and the header is not', async () => {
    const operator = states.filter(({ name }) => name === 'operator-status');
    for (const state of operator)
      await at(state, async (page) => {
        await page.emulateMedia({ media: 'print' });
        const drawn = page.locator('svg[role=img]').first();
        expect([await drawn.isVisible(), await page.locator('header').isVisible()]).toEqual([true, false]);
        const { width = 0, height = 1 } = (await drawn.boundingBox()) ?? {};
        expect(width / height).toBeCloseTo(10, 0);
        await page.emulateMedia({ media: 'screen' });
      });
    expect(operator).toHaveLength(1);
  });

  test('a wrong password is announced: the focus is in the field that the error describes', async () => {
    const state = states.find(({ name }) => name === 'wrong-password');
    if (!state) throw new Error('no such state');
    await at(state, async (page) => {
      const focused = await page.evaluate(() => {
        const field = document.activeElement;
        const described = document.getElementById(field?.getAttribute('aria-describedby') ?? '');
        return [
          field?.id,
          field?.getAttribute('aria-invalid'),
          described?.getAttribute('role'),
          described?.textContent,
        ];
      });
      expect(focused).toEqual(['password', 'true', 'alert', 'Wrong e-mail address or password.']);
    });
  });

  test('nothing moves', async () => {
    for (const state of states.filter(({ name }) => ['sign-in', 'deactivate', 'account'].includes(name)))
      await at(state, async (page) => {
        const moving = await page.evaluate(
          () =>
            [...document.querySelectorAll('*')].filter((element) => {
              const { transitionDuration, animationName } = getComputedStyle(element);
              return transitionDuration !== '0s' || animationName !== 'none';
            }).length,
        );
        expect([state.name, moving]).toEqual([state.name, 0]);
      });
  });
});

/** What does not fit: the page is wider than the window, or something is wider than its own box. */
const overflow = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const cut = [...document.querySelectorAll('body *:not(.hidden, .hidden *)')].filter((element) => {
      // A row of its own that scrolls, a text that is there in full, and what a closed menu has, are not cut.
      for (let one: Element | null = element; one; one = one.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(one);
        if (overflowX === 'auto' || (textOverflow === 'ellipsis' && one.hasAttribute('title'))) return false;
      }
      if (!element.checkVisibility()) return false;
      const { left, right } = element.getBoundingClientRect();
      const hides =
        getComputedStyle(element).overflow !== 'visible' && !(element instanceof HTMLInputElement);
      const isCut =
        element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
      return right > clientWidth + 1 || left < -1 || (hides && isCut);
    });
    return [
      ...(scrollWidth > clientWidth ? [`page ${scrollWidth} > ${clientWidth}`] : []),
      ...cut.map(({ outerHTML }) => outerHTML.slice(0, 120)),
    ];
  });
