/**
 * The options of an LRU cache of at most this many entries that takes memory as they come: with `max` it takes all of it
 * at once, a megabyte for 50,000.
 */
export const growing = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 });
