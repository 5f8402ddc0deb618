import type { ListName, Operation } from './operations.ts';
import type { NameOfList, RecordRow } from './rows.ts';

/**
 * The lists that a fold of these operations on these rows can change, and perhaps a few more: for each organization
 * those of all users that occur.
 */
export const possibleLists = (
  operations: readonly Operation[],
  rows: readonly RecordRow[],
): readonly NameOfList[] => {
  const organizations = new Map<string, { readonly lists: Set<ListName>; readonly users: Set<string> }>();
  const of = (organizationId: string) => {
    const known = organizations.get(organizationId) ?? { lists: new Set(), users: new Set(['']) };
    organizations.set(organizationId, known);
    return known;
  };
  for (const { list, organizationId, content } of operations) {
    const { lists, users } = of(organizationId);
    lists.add(list);
    const owner = content?.owner ?? null;
    if (list === 'profiles' && owner !== null) users.add(owner);
  }
  for (const { list, organizationId, ofUser } of rows) {
    const { lists, users } = of(organizationId);
    if (list !== 'profiles') lists.add(list); // a profile that is only named does not change
    if (ofUser) users.add(ofUser.userId);
  }
  return [...organizations].flatMap(([organizationId, { lists, users }]) =>
    [...lists].flatMap((list) => [...users].map((userId) => ({ list, organizationId, userId }))),
  );
};
