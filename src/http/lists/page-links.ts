import { type Link, pageQuery } from '../contracts/list-page.ts';
import type { ListPlace, ListPosition } from '../../projections/read-models.ts';
import type { Cursor } from './cursor.ts';
import type { PageParameters } from './page-parameters.ts';

/** Input for a page's links: the parameters of the request, and both ends of the returned page. */
export type PageEnds = {
  readonly asked: PageParameters;
  readonly place: ListPlace;
  readonly list: bigint;
  readonly pages: number;
  readonly first: ListPosition | null;
  readonly last: ListPosition | null;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  readonly bound: bigint;
  /** Of changes: what links repeat. */
  readonly syncToken?: string;
};

type Neighbour = {
  readonly page: number;
  readonly cursor?: Omit<Cursor, 'page' | 'perPage' | 'list' | 'sync'>;
};

/** Absolute addresses (LI-02, LI-03): `prev` and `next` carry a cursor, `first` and `last` are numbers. */
export const linksOf = (
  address: string,
  ends: PageEnds,
  cursors: { readonly encrypt: (cursor: Omit<Cursor, 'sync'>) => string },
): { readonly body: Link[]; readonly header: string } => {
  const { list, pages } = ends;
  const { perPage, perPageSent } = ends.asked;
  const href = ({ page, cursor }: Neighbour): string => {
    const size = perPageSent ? `&per_page=${perPage}` : '';
    const place = cursor ? `&cursor=${cursors.encrypt({ ...cursor, page, perPage, list })}` : '';
    const since = ends.syncToken === undefined ? '' : `&sync_token=${ends.syncToken}`;
    return `${address}?page=${page}${size}${since}${place}`;
  };
  const [before, after] = [pageBefore(ends), pageAfter(ends)];
  const body: Link[] = [];
  if (before) body.push({ rel: 'prev', type: 'GET', href: href(before) });
  if (after) body.push({ rel: 'next', type: 'GET', href: href(after) });
  const far = [
    { rel: 'first', href: href({ page: 1 }) },
    { rel: 'last', href: href({ page: Math.max(pages, 1) }) },
  ];
  const header = [...body, ...far].map((link) => `<${link.href}>; rel="${link.rel}"`).join(', ');
  return { body, header };
};

const highestPage = pageQuery.shape.page.unwrap().maxValue ?? Number.MAX_SAFE_INTEGER;

/**
 * Decreases with each `prev`, but not below 1 when records came before page 1. A page without items links to the last one (LI-05),
 * unless it was reached backwards.
 */
const pageBefore = ({ asked, place, pages, first, hasBefore, bound }: PageEnds): Neighbour | null => {
  if (first) {
    const page = Math.max(asked.page - 1, 1);
    return hasBefore ? { page, cursor: { direction: 'before', position: first, bound } } : null;
  }
  const page = Math.min(asked.page - 1, pages);
  return page >= 1 && place.by !== 'before' ? { page } : null;
};

const pageAfter = ({ asked, last, hasAfter, bound }: PageEnds): Neighbour | null => {
  if (!last || !hasAfter) return null;
  const page = Math.min(asked.page + 1, highestPage);
  return { page, cursor: { direction: 'after', position: last, bound } };
};
