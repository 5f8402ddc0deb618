/** Decisions about a grant that do not end it, by an instance with an empty cache. */
export const lasting = ['refresh', 'introspect-refresh', 'introspect-access'] as const;
/** Decisions that end the grant. A withdrawal uses the same reaction. */
export const ending = ['late-exchange', 'revoke', 'reaction'] as const;
export const decisions = [...lasting, ...ending];
export type Decided = (typeof decisions)[number];

/** How often the grants were refreshed before. */
export const rotationCounts: readonly number[] = [1, 1_000, 10_000, 100_000];
/** The numbers of connections that refresh in turn. */
export const crowds: readonly [number, number] = [1_000, 100_000];

export const decisionName = (decision: Decided, rotations: number): string =>
  `rotations-${decision}-${rotations}`;
export const crowdName = (connections: number): string => `refresh-cpu-${connections}`;

/** The results of the group `rotations`. */
export const rotationNames: readonly string[] = [
  ...decisions.flatMap((decision) => rotationCounts.map((count) => decisionName(decision, count))),
  ...[...crowds, 10_000].map(crowdName),
];
