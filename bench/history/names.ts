/** What is asked, of one organization. */
export const asked = ['as-of', 'exposure', 'timeline', 'records', 'export'] as const;
export type Asked = (typeof asked)[number];

/** The results of the group `history`: the cost of starting, and of each question its cost in the smaller and in the larger log. */
export const historyNames: readonly string[] = [
  'history-start',
  ...asked.flatMap((one) => [`history-${one}-small`, `history-${one}`, `history-${one}-memory`]),
];
