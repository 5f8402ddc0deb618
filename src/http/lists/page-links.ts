import type { Link } from '../contracts/list-page.ts';
import type { PageParameters } from './page-parameters.ts';

/** The other pages of a list, as absolute addresses that a client follows unmodified (LI-02, LI-03). */
export const linksOf = (
  address: string,
  { page, perPage, perPageSent }: PageParameters,
  pages: number,
): { readonly body: Link[]; readonly header: string } => {
  const href = (number: number) =>
    perPageSent ? `${address}?page=${number}&per_page=${perPage}` : `${address}?page=${number}`;
  const body: Link[] = [];
  // Past the end the page before is the real last one; an empty list has none (LI-05).
  const before = Math.min(page - 1, pages);
  if (before >= 1) body.push({ rel: 'prev', type: 'GET', href: href(before) });
  if (page < pages) body.push({ rel: 'next', type: 'GET', href: href(page + 1) });
  const ends = [
    { rel: 'first', href: href(1) },
    { rel: 'last', href: href(Math.max(pages, 1)) },
  ];
  const header = [...body, ...ends].map((link) => `<${link.href}>; rel="${link.rel}"`).join(', ');
  return { body, header };
};
