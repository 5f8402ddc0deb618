/** What is decided of a grant, by an instance that knows nothing of it, and leaves it alive. */
export const lasting = ['refresh', 'introspect-refresh', 'introspect-access'] as const;
/** What ends the grant. A withdrawal's grants are ended by the same reaction. */
export const ending = ['late-exchange', 'revoke', 'reaction'] as const;
export const decisions = [...lasting, ...ending];
export type Decided = (typeof decisions)[number];

/** How often the grants were refreshed before. */
export const rotationCounts: readonly number[] = [1, 1_000, 10_000, 100_000];
/** How many connections come round in a steady rhythm. */
export const crowds: readonly [number, number] = [1_000, 100_000];

export const decisionName = (decision: Decided, rotations: number): string =>
  `rotations-${decision}-${rotations}`;
export const crowdName = (connections: number): string => `refresh-cpu-${connections}`;

/** The results of the group `rotations`. */
export const rotationNames: readonly string[] = [
  ...decisions.flatMap((decision) => rotationCounts.map((count) => decisionName(decision, count))),
  ...[...crowds, 10_000].map(crowdName),
];
