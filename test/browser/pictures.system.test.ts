import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { smallPng } from './small-png.ts';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { setStage } from './stage.ts';
import { states } from './states.ts';

const folder = join(packageRoot, 'docs/screenshots');
const pagesFile = join(packageRoot, 'docs/reference/pages.md');

/** A desk in the light, a phone in the dark. */
const views = [
  { suffix: '', colorScheme: 'light', viewport: { width: 720, height: 320 } },
  { suffix: '-phone', colorScheme: 'dark', viewport: { width: 360, height: 320 } },
] as const;
/** Longer pages are shown as far as this. */
const longest = 1_300;
const shown = [...readFileSync(pagesFile, 'utf8').matchAll(/screenshots\/([\w-]+\.png)/g)].map(
  ([, name = '']) => name,
);
/** docs.system.test.ts takes it on its way, of the documentation as one window shows it. */
const takenElsewhere = 'docs.png';
const isShown = (name: string): boolean => shown.includes(name);

describe('docs/reference/pages.md', () => {
  test('shows pictures of states that the tests open; all are there, none is left over, and all are small together', () => {
    const possible = states.flatMap(({ name }) => views.map(({ suffix }) => `${name}${suffix}.png`));
    expect(shown.filter((name) => name !== takenElsewhere && !possible.includes(name))).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(shown.toSorted());
    const bytes = shown.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(800_000);
  });
});

/** `SCREENSHOTS=1` takes them anew. */
describe.skipIf(process.env['SCREENSHOTS'] !== '1' || !hasChromium)('taking the pictures', () => {
  test('of every state that the page shows', async () => {
    const chrome = await launchChromium();
    const stage = await setStage(chrome);
    for (const state of states) {
      const taken = views.filter(({ suffix }) => isShown(`${state.name}${suffix}.png`));
      if (taken.length === 0) continue;
      const page = await stage.page(state.who);
      for (const { suffix, colorScheme, viewport } of taken) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await state.open(page, stage);
        const path = join(folder, `${state.name}${suffix}.png`);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        const clip = { x: 0, y: 0, width: viewport.width, height: Math.min(height, longest) };
        const picture = await page.screenshot({ fullPage: true, clip, scale: 'css', caret: 'hide' });
        writeFileSync(path, smallPng(picture));
      }
    }
    await stage.close();
    await chrome.close();
    expect(readdirSync(folder).sort()).toEqual(shown.toSorted());
  });
});
