import { statement } from '../../common/transaction.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import type { KnownGrant } from '../../domain/access/known-grant.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

type Row = {
  readonly grantId: string;
  readonly addonId: string;
  readonly userId: string;
  readonly organizationId: string | null;
  readonly epoch: number;
} & KnownGrant;

/** Owners of grants and how far these have come, by id. Read models may lag, but a grant's owner never changes. */
export const readGrantOwners =
  (reader: PipelinedReader) =>
  async (grantIds: readonly string[]): Promise<ReadonlyMap<string, Owner>> => {
    const rows = await reader.query<Row>(ownersOfGrants, [grantIds]);
    return new Map(
      rows.map(({ addonId, status, rotation, ...row }) => [
        row.grantId,
        { addonId, subject: subjectOf(row), status, rotation },
      ]),
    );
  };

type Owner = { readonly addonId: string; readonly subject: GrantSubject } & KnownGrant;

const subjectOf = ({
  organizationId,
  userId,
  epoch,
}: Pick<Row, 'organizationId' | 'userId' | 'epoch'>): GrantSubject =>
  organizationId === null ? { kind: 'user', userId, epoch } : { kind: 'organization', organizationId, epoch };

const ownersOfGrants = statement('owners-of-grants')`
    select grant_id as "grantId", addon_id as "addonId", user_id as "userId", organization_id as "organizationId", epoch,
      status, rotation
    from grants where grant_id = any($1::text[])`;
