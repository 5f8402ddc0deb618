import { describe, expect, test } from 'vitest';
import { hasChromium } from '../support/scenes/chromium.ts';
import { inChromium } from './in-chromium.ts';
import { setStage } from './stage.ts';
import { states } from './states.ts';

describe.skipIf(!hasChromium)('the audit log in Chromium (needs /usr/bin/chromium)', () => {
  const here = inChromium(setStage);

  const open = async (name: string, width: number) => {
    const state = states.find((one) => one.name === name);
    if (!state) throw new Error(`no state ${name}`);
    const page = await here.scene.page(state.who);
    await page.setViewportSize({ width, height: 900 });
    await state.open(page, here.scene);
    return page;
  };

  test('PG-22: an act is one line at 1440 px, and all of it once its details are open', async () => {
    for (const name of ['questions', 'grants', 'exposure', 'unused', 'log']) await open(name, 1440);
    await here.scene.http.tellHistory();
    for (const name of ['history', 'searches']) {
      const page = await open(name, 1440);
      await page.goto(page.url().replace('&limit=3', '&limit=100'));
      const heights = await page
        .locator('.events .line')
        .evaluateAll((lines) => lines.map((line) => line.clientHeight));
      expect(heights.length).toBeGreaterThan(0);
      for (const height of heights) expect(height).toBeLessThan(36);
      await page.locator('.events summary').first().click();
      const space = await page
        .locator('.events .line')
        .first()
        .evaluate((line) => getComputedStyle(line).whiteSpace);
      expect(space).toBe('normal');
    }
  });

  test('PG-22: the chart has rows of 24 px with the name on the left, and fits a phone', async () => {
    for (const width of [1440, 320]) {
      const page = await open('grants', width);
      const rows = await page.locator('.bars > li:not(.axis)').evaluateAll((items) =>
        items.map((item) => {
          const [name, chart] = [...item.children].map((child) => child.getBoundingClientRect());
          const lanes = Number(item.querySelector('svg')?.getAttribute('height')) / 24;
          return { height: item.clientHeight, lanes, isLeft: (name?.right ?? 0) <= (chart?.left ?? 0) };
        }),
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { height, lanes, isLeft } of rows) expect([height, isLeft]).toEqual([24 * lanes, true]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });
});
