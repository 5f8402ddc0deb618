import de from '../../../locales/de.json' with { type: 'json' };
import { english, wordsOf, type Words } from '../../common/words.ts';

type Errors = Words['errors'];
/** The errors that are a whole text. */
export type ErrorText = { [K in keyof Errors]: Errors[K] extends string ? K : never }[keyof Errors];

/** A further language is one file, and its line here. */
export const languages: readonly Words[] = [english, wordsOf(de)];

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
  const byTag = new Map(offered.map((each) => [each.tag.toLowerCase(), each]));
  const wished = [account ?? '', ...beginningOf(uiLocales, ' '), ...byWeight(beginningOf(accept, ','))];
  for (const range of wished) {
    const found = lookUp(range.toLowerCase().replaceAll('_', '-'), byTag);
    if (found) return found;
  }
  return english;
};

/** "de-AT" finds "de" (RFC 4647 §3.4), and "de_AT", as some programs write it, too. */
const lookUp = (range: string, byTag: ReadonlyMap<string, Words>): Words | undefined => {
  for (let end = range.length; end > 0; end = range.lastIndexOf('-', end - 1)) {
    const found = byTag.get(range.slice(0, end));
    if (found) return found;
  }
  return undefined;
};

/** More than anybody's browser sends. Anybody may send them, so what follows is not read. */
const longest = 200;
const most = 20;

const beginningOf = (sent: string, separator: string): readonly string[] =>
  sent.slice(0, longest).split(separator, most);

/** In order of their weights (RFC 9110 §12.5.4). */
const byWeight = (ranges: readonly string[]): readonly string[] =>
  ranges
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
      const q = parameters.find((parameter) => /^q=/i.test(parameter));
      return { range, weight: q === undefined ? 1 : Number(q.slice(2)) || 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
