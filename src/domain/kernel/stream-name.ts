/** The category in `category-id` (streams.ts), up to the first dash; empty without one. */
export const categoryOf = (stream: string): string => stream.slice(0, Math.max(0, stream.indexOf('-')));

/** The id in a stream's name: what follows the first dash. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

/** The prefix that the names of all streams of a category share. */
export const prefixOf = (category: string) => `${category}-` as const;

export const isOfCategory = (stream: string, category: string): boolean =>
  stream.startsWith(prefixOf(category));

/** The two ids in an id such as `<organization>.<addon>`, split at the first dot; the first is empty without one. */
export const splitId = (id: string): readonly [first: string, second: string] => {
  const dot = id.indexOf('.');
  return [id.slice(0, Math.max(0, dot)), id.slice(dot + 1)];
};

/** The two ids in the name of a stream such as `activation-<organization>.<addon>`. */
export const idsOf = (stream: string): readonly [first: string, second: string] => splitId(idOf(stream));
