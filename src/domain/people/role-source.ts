/** How a role came about (FE-04): given by an operator, or named by the provider at the last sign-in; or both. */
export type RoleSource = 'manual' | 'claim';

/** A list of ids or roles by how each came about. */
export type BySource<T> = { readonly [S in RoleSource]: readonly T[] };

export const bySource: BySource<never> = { manual: [], claim: [] };

/** Everything in the list once, from whichever source. */
export const fromAnySource = <T>({ manual, claim }: BySource<T>): readonly T[] => [
  ...new Set([...manual, ...claim]),
];

export const withAdded = <T>(list: BySource<T>, source: RoleSource, value: T): BySource<T> => ({
  ...list,
  [source]: [...list[source].filter((other) => other !== value), value],
});

export const withRemoved = <T>(list: BySource<T>, source: RoleSource, value: T): BySource<T> => ({
  ...list,
  [source]: list[source].filter((other) => other !== value),
});
