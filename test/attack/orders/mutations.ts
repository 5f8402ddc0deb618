/**
 * The designs that look right and are not (docs/explanation/revocation.md): each takes one leg of the argument away. They exist here
 * only, as other answers of the fence; the searches that find nothing wrong with the real one must fail for each.
 */
export const mutations = [
  'no second look',
  'a second look without the epoch',
  'a bearer check without the epoch',
  'a fence that only the projector writes',
  'a fence where the last writer wins',
  'a rebuild that swaps in a lagging fence',
  'no fence, only the reaction',
] as const;

export type Mutation = (typeof mutations)[number];
