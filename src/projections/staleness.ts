/** What does not show the newest while a key is parked. Ids only. */
export type Stale = { readonly what: string; readonly ids: Readonly<Record<string, string>> };

/** By the projection that has parked it, and by its stream. */
export const stalenessOf = (projection: string, stream: string): Stale => {
  const dash = stream.indexOf('-');
  const [category, id] = [stream.slice(0, dash), stream.slice(dash + 1)];
  const dot = id.indexOf('.');
  const [first, second] = [id.slice(0, dot), id.slice(dot + 1)];
  const list = lists[category];
  if (projection === 'history') return { what: 'timeline', ids: { stream } };
  if (list !== undefined && dot > 0) return { what: list, ids: { organization: first, record: second } };
  if (category === 'activation' && dot > 0)
    return { what: 'activation', ids: { organization: first, addon: second } };
  if (category === 'consent' && dot > 0) return { what: 'consents', ids: { subject: first, addon: second } };
  const one = ones[category];
  return one === undefined ? { what: projection, ids: { stream } } : { what: one, ids: { [one]: id } };
};

const lists: Readonly<Record<string, string>> = {
  profile: 'profiles',
  reservation: 'reservations',
  accessRight: 'access_rights',
};

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
