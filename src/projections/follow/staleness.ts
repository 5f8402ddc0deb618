import { eachRecord } from '../../domain/records/each-record.ts';
import { categoryOf, idOf, splitId } from '../../domain/kernel/stream-name.ts';

/** What is out of date while a key is parked. Ids only. */
export type Stale = { readonly what: string; readonly ids: Readonly<Record<string, string>> };

/** By the projection that parked the key, and by its stream. */
export const stalenessOf = (projection: string, stream: string): Stale => {
  const [category, id] = [categoryOf(stream), idOf(stream)];
  const [first, second] = splitId(id);
  const list = lists[category];
  if (projection === 'history') return { what: 'timeline', ids: { stream } };
  if (list !== undefined && first !== '') return { what: list, ids: { organization: first, record: second } };
  if (category === 'activation' && first !== '')
    return { what: 'activation', ids: { organization: first, addon: second } };
  if (category === 'consent' && first !== '')
    return { what: 'consents', ids: { subject: first, addon: second } };
  const one = ones[category];
  return one === undefined ? { what: projection, ids: { stream } } : { what: one, ids: { [one]: id } };
};

const lists: Readonly<Record<string, string>> = eachRecord('category', ({ table }) => table);

const ones: Readonly<Record<string, string>> = {
  organization: 'organization',
  account: 'account',
  addon: 'addon',
  grant: 'grant',
};

/** `profiles (organization O1, record P1)` */
export const describeStaleness = ({ what, ids }: Stale): string => {
  const named = Object.entries(ids).map(([name, id]) => (name === what ? id : `${name} ${id}`));
  return `${what.replace('_', ' ')} (${named.join(', ')})`;
};
