/** The compared pages: the first, one in the middle, and the last. */
export const ends = ['first', 'middle', 'last'] as const;
export type End = (typeof ends)[number];

export type EachEnd<T> = Readonly<Record<End, T>>;

export const pagesOf = (totalItems: number, perPage: number): EachEnd<number> => {
  const last = Math.max(Math.ceil(totalItems / perPage), 1);
  return { first: 1, middle: Math.ceil(last / 2), last };
};

/** Milliseconds of each page, measured in alternation, so that a slow moment of the machine affects all of them. */
export const timeInTurns = async (
  samples: number,
  run: (end: End) => Promise<unknown>,
): Promise<EachEnd<readonly number[]>> => {
  const times: Record<End, number[]> = { first: [], middle: [], last: [] };
  for (const end of ends) await run(end);
  for (let sample = 0; sample < samples; sample += 1)
    for (const end of ends) {
      const began = performance.now();
      await run(end);
      times[end].push(performance.now() - began);
    }
  return times;
};
