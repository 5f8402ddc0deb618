import type { Entry } from './lists-array.ts';
import { compareEntries, type Page } from './lists-page.ts';

export type Direction = 'next' | 'prev';

/** What the user's list holds now, and what it would hold if no organization had switched the add-on off. */
export type Present = { readonly visible: readonly Entry[]; readonly all: readonly Entry[] };

/**
 * What is promised to whoever follows links in one direction, whatever the pages are: nothing twice, in order, all that was
 * there from beginning to end, and an end that comes in time.
 */
export type Walk = {
  /** The list has changed. */
  meanwhile(now: Present): void;
  /** The next page came. @returns what was promised and is not so */
  on(page: Page): readonly string[];
};

export const beginWalk = (direction: Direction, first: Page, now: Present, perPage: number): Walk => {
  const forward = direction === 'next';
  const ahead = (one: Entry, other: Entry) => compareEntries(one, other) * (forward ? 1 : -1);
  const start = first.entries.at(forward ? -1 : 0);
  const isOnTheWay = (entry: Entry): boolean =>
    start !== undefined && ahead(start, entry) < 0 && (!forward || entry.entered <= first.bound);
  const seen = new Set(first.entries);
  const ids = new Set(first.entries.map(({ id }) => id));
  let survivors = now.visible.filter(isOnTheWay);
  const ever = new Set([...first.entries, ...now.all.filter(isOnTheWay)]);
  let last = start;
  let requests = 1;

  const endOf = (page: Page): readonly string[] => {
    const missing = survivors.filter((entry) => !seen.has(entry));
    return page[direction] === null
      ? missing.map(({ id }) => `${id} was there all the time and not seen`)
      : [];
  };
  return {
    meanwhile({ visible, all }) {
      const present = new Set(visible);
      survivors = survivors.filter((entry) => present.has(entry));
      // Ahead of an organization that a walk back is in, others may still grow; a walk forward ends where it was to end.
      if (!forward) for (const entry of all.filter(isOnTheWay)) ever.add(entry);
    },
    on(page) {
      const wrong: string[] = [];
      requests += 1;
      for (const entry of forward ? page.entries : page.entries.toReversed()) {
        if (ids.has(entry.id)) wrong.push(`${entry.id} came twice`);
        if (last && ahead(last, entry) >= 0) wrong.push(`${entry.id} is out of order`);
        seen.add(entry);
        ids.add(entry.id);
        last = entry;
      }
      // A page with a page behind it is full, but for the first of a walk that turned at the head of the list.
      const most = 1 + Math.ceil((ever.size - first.entries.length) / perPage);
      if (requests > most) wrong.push(`${requests} requests for a walk of ${ever.size}, ${perPage} a page`);
      return [...wrong, ...endOf(page)];
    },
  };
};
