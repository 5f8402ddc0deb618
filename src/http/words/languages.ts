import { de } from './de.ts';
import { en, type Words } from './en.ts';

/** A further language is one file, and its line here. */
export const languages: readonly Words[] = [en, de];

/** What a page or mail may go by: a setting, `ui_locales` (OpenID Connect Core §3.1.2.1) and `Accept-Language`. */
export type Wishes = {
  readonly account?: string | null;
  readonly uiLocales?: string | undefined;
  readonly accept?: string | undefined;
};

/** The first language that is wished for and offered; English if none is. What is no language is passed over. */
export const chooseLanguage = (
  { account, uiLocales = '', accept = '' }: Wishes,
  offered: readonly Words[] = languages,
): Words => {
  const wished = [account ?? '', ...uiLocales.split(' '), ...rangesIn(accept)];
  for (const range of wished) {
    const found = lookUp(range.toLowerCase(), offered);
    if (found) return found;
  }
  return en;
};

/** "de-AT" finds "de" (RFC 4647 §3.4). */
const lookUp = (range: string, offered: readonly Words[]): Words | undefined => {
  const byTag = new Map(offered.map((each) => [each.tag.toLowerCase(), each]));
  for (let tag = range; tag !== ''; tag = tag.replace(/(^|-)[^-]*$/, '')) {
    const found = byTag.get(tag);
    if (found) return found;
  }
  return undefined;
};

/** More than anybody's browser sends. */
const most = 20;

/** In order of their weights (RFC 9110 §12.5.4). */
const rangesIn = (accept: string): readonly string[] =>
  accept
    .split(',', most)
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      const q = parameters.find((parameter) => /^q=/i.test(parameter));
      return { range, weight: q === undefined ? 1 : Number(q.slice(2)) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
