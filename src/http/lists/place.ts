import { hash } from 'node:crypto';
import type { GrantSubject } from '../../domain/grant.ts';
import type { ListPlace } from '../../projections/read-models.ts';
import type { PageParameters } from './page-parameters.ts';

/** A number for each list that there is: which records, and whose. */
export const listId = (address: string, subject: GrantSubject): bigint => {
  const owner = subject.kind === 'organization' ? subject.organizationId : subject.userId;
  return Buffer.from(hash('sha256', `${address} ${subject.kind} ${owner}`, 'hex'), 'hex').readBigUInt64BE();
};

/**
 * Where to read. `page` is what counts: a cursor only says where that page is, as long as it was made for this very page of
 * this very list.
 */
export const placeOf = ({ page, perPage, cursor }: PageParameters, list: bigint): ListPlace =>
  cursor && cursor.page === page && cursor.perPage === perPage && cursor.list === list
    ? { by: cursor.direction, position: cursor.position, bound: cursor.bound }
    : { by: 'page', page };
