import { tabs } from '../pages/components.ts';
import type { Words } from '../../common/words.ts';
import { trusted, type Html } from '../pages/html.ts';
import type { Frame } from '../pages/layout.ts';
import type { Localized } from '../pages/render.ts';

export type DocsView = Localized & Required<Pick<Frame, 'base' | 'brand'>>;

/** From one page of the documentation to the others. */
export const docsTabs = ({ base, reader }: DocsView, current: string): Html => {
  const { frame, docs } = reader.words;
  const pages = {
    '/docs': frame.areas.docs,
    '/docs/connect-your-add-on': docs.guide.title,
    '/problems': docs.problems.title,
  };
  return tabs(
    reader,
    frame.areas.docs,
    Object.entries(pages).map(([path, label]) => ({
      href: base + path,
      label,
      isCurrent: path === current,
    })),
  );
};

/** What is in English on every page has its language. */
export const inEnglish = ({ tag }: Words): Html | false => tag !== 'en' && trusted(' lang="en"');
