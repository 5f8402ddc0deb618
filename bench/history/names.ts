/**
 * The queries: of one organization, then timelines of one of its users, add-ons and grants, then its export with
 * proofs.
 */
export const asked = [
  'as-of',
  'exposure',
  'timeline',
  'records',
  'export',
  'user',
  'addon',
  'grant',
  'proof',
] as const;
export type Asked = (typeof asked)[number];

/**
 * The results of the group `history`: the cost of starting, and the cost of each query in the smaller and the larger
 * log.
 */
export const historyNames: readonly string[] = [
  'history-start',
  ...asked.flatMap((one) => [`history-${one}-small`, `history-${one}`, `history-${one}-memory`]),
];
