type Page = {
  readonly items: readonly { readonly id: string }[];
  readonly _pagination: { readonly total_items: number };
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
  readonly sync_token: string;
};

export type Walk = { readonly items: number; readonly pages: number; readonly seconds: number };

/**
 * Reads all pages like a client: sequentially, each by the `next` link of the previous one. @throws unless the walk
 * returned every record exactly once
 */
export const walkByLinks = async (from: string, authorization: string): Promise<Walk> => {
  const seen = new Set<string>();
  let next: string | undefined = from;
  let pages = 0;
  let total = 0;
  const began = performance.now();
  while (next !== undefined) {
    const page: Page = await getPage(next, authorization);
    for (const { id } of page.items) {
      if (seen.has(id)) throw new Error(`the walk brought ${id} twice`);
      seen.add(id);
    }
    pages += 1;
    total = page._pagination.total_items;
    next = page._links.find(({ rel }) => rel === 'next')?.href;
  }
  const seconds = (performance.now() - began) / 1000;
  if (seen.size !== total) throw new Error(`the walk brought ${seen.size} of ${total} records`);
  return { items: seen.size, pages, seconds };
};

export const getPage = async (url: string, authorization: string): Promise<Page> => {
  const answer = await fetch(url, { headers: { authorization } });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  return (await answer.json()) as Page;
};
