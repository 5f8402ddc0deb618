import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What of WCAG 2.2 AA a page breaks as it is shown now, one line a rule. */
export const violations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(`window.axe || (() => { ${axeSource} })()`);
  return page.evaluate(async (values) => {
    const { axe: runner } = globalThis as unknown as { axe: typeof axe };
    const { violations: found } = await runner.run(document, {
      runOnly: { type: 'tag', values: [...values] },
      rules: { 'target-size': { enabled: true } },
      resultTypes: ['violations'],
    });
    return found.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 120))].join(' '));
  }, tags);
};
