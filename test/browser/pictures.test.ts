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
const pictureNames = states.flatMap(({ name }) => views.map(({ suffix }) => `${name}${suffix}.png`));
/** docs.test.ts takes it on its way, of the documentation as one window shows it. */
const allPictures = ['docs.png', ...pictureNames].toSorted();

describe('docs/reference/pages.md', () => {
  test('shows every page in every state, each with a picture that is there; all are small together', () => {
    expect(readdirSync(folder).sort()).toEqual(allPictures);
    const shown = [...readFileSync(pagesFile, 'utf8').matchAll(/screenshots\/([\w-]+\.png)/g)].map(
      ([, name = '']) => name,
    );
    expect(shown.toSorted()).toEqual(allPictures);
    const bytes = allPictures.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(2_400_000);
  });
});

/** `SCREENSHOTS=1` takes them anew. */
describe.skipIf(process.env['SCREENSHOTS'] !== '1' || !hasChromium)('taking the pictures', () => {
  test('of every state', async () => {
    const chrome = await launchChromium();
    const stage = await setStage(chrome);
    for (const state of states) {
      const page = await stage.page(state.who);
      for (const { suffix, colorScheme, viewport } of views) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await state.open(page, stage);
        const path = join(folder, `${state.name}${suffix}.png`);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        const clip = { x: 0, y: 0, width: viewport.width, height: Math.min(height, longest) };
        const taken = await page.screenshot({ fullPage: true, clip, scale: 'css', caret: 'hide' });
        writeFileSync(path, smallPng(taken));
      }
    }
    await stage.close();
    await chrome.close();
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(pictureNames));
  }, 300_000);
});
