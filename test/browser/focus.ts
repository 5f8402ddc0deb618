import type { Page } from 'playwright-core';

export type Stop = {
  readonly label: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
};

/** What can have the focus, in the order of the document; of a group of radio buttons the chosen one, or the first. */
export const focusStops = (page: Page): Promise<readonly Stop[]> =>
  page.evaluate(() => {
    window.scrollTo(0, 0);
    const all = document.querySelectorAll<HTMLElement>(
      'a[href], button, input:not([type=hidden]), select, textarea, summary',
    );
    return [...all]
      .filter((element) => element.checkVisibility())
      .filter((element) => {
        if (!(element instanceof HTMLInputElement && element.type === 'radio')) return true;
        const group = [...document.querySelectorAll<HTMLInputElement>(`input[name="${element.name}"]`)];
        return element === (group.find(({ checked }) => checked) ?? group[0]);
      })
      .map((element, index) => {
        element.dataset['stop'] = `${index} ${element.tagName} ${element.textContent.trim()}`;
        const { top, bottom, left } = element.getBoundingClientRect();
        return { label: element.dataset['stop'], top, bottom, left };
      });
  });

/** Presses Tab from the beginning of the document until so many have had the focus; a date has several stops of its own. */
export const tabThrough = async (page: Page, times: number) => {
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  const reached: { readonly label: string | undefined; readonly outline: string }[] = [];
  while (reached.length < times) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const focused = document.activeElement as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      const isDate = focused instanceof HTMLInputElement && focused.type === 'date';
      return { label: focused.dataset['stop'], outline: `${outlineStyle} ${outlineWidth}`, isDate };
    });
    if (now.isDate && reached.at(-1)?.label === now.label) continue;
    reached.push({ label: now.label, outline: now.outline });
  }
  return reached;
};
