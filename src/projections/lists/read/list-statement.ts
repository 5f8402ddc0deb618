import type { ListName } from '../write/operations.ts';
import { fenceRows } from '../../fence/fence-statement.ts';
import type { Named } from '../../database/pipelined-reader.ts';
import { organizationsItems, organizationsList } from './organizations-list.ts';
import type { ListKind, ListWay } from './parts.ts';
import { staleOf } from './stale.ts';
import { usersItems, usersList } from './users-list.ts';

/**
 * The only statement of a response: fence, list and items, hence one snapshot (RS-02) and one round trip. Its values
 * are $1 fence subjects, $2 the organization or user, $3 items per page, $4 versions for which no items are needed, for
 * a user $5 the add-on, and then those of the place: an offset; or a position (for a user with its organization) and a
 * bound.
 */
export const listStatement = (list: ListName, kind: ListKind, way: ListWay): Named => {
  const [state, items] =
    kind === 'organization'
      ? [organizationsList(list), organizationsItems(list, way)]
      : [usersList(list), usersItems(list, way)];
  return {
    name: `list-${list}-${kind}-${way}`,
    text: `${state}
  select list.total, list.changed, list.version, list.held as unchanged, ${staleOf(list, kind)} as stale, page.*,
         (select json_agg(row) from (${fenceRows}) as row)
           as fence
  from list ${items}`,
  };
};
