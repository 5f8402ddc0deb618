/** Version of the fields of an item and their names. Raise it when they change, so that clients do not keep old pages. */
const format = 1;

/** How many tags of a request are compared; a request with more gets at worst a full answer. */
const mostTags = 16;

/** Weak: the same records may be encoded in different bytes, e.g. after the key of cursors changes. */
export const entityTag = (version: string): string => `W/"${format}.${version}"`;

/**
 * The versions in a request's `If-None-Match`; compared weakly (RFC 9110 §13.1.2). Tags that are not ours match
 * nothing. `*` matches any list, because every list exists: 304 for every reader with a valid token.
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
