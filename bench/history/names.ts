/** What is asked: of one organization, then timelines of one user, add-on and grant of it, then its export with proofs. */
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

/** The results of the group `history`: the cost of starting, and of each question its cost in the smaller and in the larger log. */
export const historyNames: readonly string[] = [
  'history-start',
  ...asked.flatMap((one) => [`history-${one}-small`, `history-${one}`, `history-${one}-memory`]),
];
