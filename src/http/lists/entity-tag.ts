/** Of an item's fields and their names. Raised with them, so that nobody keeps a page from before. */
const format = 1;

/** The most tags of a request that are looked at; one that has more is at worst answered in full. */
const mostTags = 16;

/** Weak: the same records may be written in other bytes, as when the key of cursors changes. */
export const entityTag = (version: string): string => `W/"${format}.${version}"`;

/**
 * What a request's `If-None-Match` names, as versions; compared weakly (RFC 9110 §13.1.2). Tags that are none of ours match
 * nothing. `*` names whatever there is: a list always exists, so it is 304 for every reader whose token is good.
 */
export const versionsIn = (ifNoneMatch: string | undefined): '*' | readonly string[] => {
  if (ifNoneMatch === undefined) return [];
  if (ifNoneMatch.trim() === '*') return '*';
  const versions = new Set<string>();
  for (const [, version = ''] of ifNoneMatch.matchAll(ourTag)) {
    versions.add(version);
    if (versions.size === mostTags) break;
  }
  return [...versions];
};

const ourTag = new RegExp(`"${format}\\.([A-Za-z0-9_-]{1,64})"`, 'g');
