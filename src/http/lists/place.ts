import { hash } from 'node:crypto';
import type { GrantSubject } from '../../domain/access/grant.ts';
import type { ListPlace } from '../../projections/read-models.ts';
import type { PageParameters } from './page-parameters.ts';

/** A number that identifies each list: the kind of records and the subject. */
export const listId = (address: string, subject: GrantSubject): bigint => {
  const owner = subject.kind === 'organization' ? subject.organizationId : subject.userId;
  return Buffer.from(hash('sha256', `${address} ${subject.kind} ${owner}`, 'hex'), 'hex').readBigUInt64BE();
};

/** `page` is authoritative: a cursor only locates it, if it was made for this page of this list. */
export const placeOf = ({ page, perPage, cursor }: PageParameters, list: bigint): ListPlace =>
  cursor && cursor.page === page && cursor.perPage === perPage && cursor.list === list
    ? { by: cursor.direction, position: cursor.position, bound: cursor.bound }
    : { by: 'page', page };
