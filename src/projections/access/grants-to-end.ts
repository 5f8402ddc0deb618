import { statement } from '../../common/transaction.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { wasUsable } from './live-grants.ts';
import { catchUpOn, untilHeld, type CatchUpDependencies } from '../follow/catch-up.ts';
import type { Named, PipelinedReader } from '../database/pipelined-reader.ts';

type ActivationEpoch = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly epoch: number;
};

/** `at`: in milliseconds since the Unix epoch. */
type EndedEpoch = ActivationEpoch & { readonly at: number };

/** `revision` is the last revision of the grant's stream if only codes and tokens were written to it. */
export type GrantToEnd = { readonly grantId: string; readonly revision: bigint };

/** The grants that a deactivation ends and has ended, with bounded memory and short statements however many there are. */
export const readEpochGrants = (reader: PipelinedReader, dependencies: CatchUpDependencies) => ({
  /** The epoch's grants that have not ended, for every code that was in the log when the first page was requested. */
  async *live(of: ActivationEpoch, signal: AbortSignal): AsyncGenerator<readonly GrantToEnd[]> {
    await catchUpOn(dependencies, ['AuthorizationCodeIssued'], signal);
    yield* pagesOf(reader, liveOfEpoch, [of.organizationId, of.addonId, of.epoch]);
  },
  /** How many grants and codes of the epoch its deactivation has ended, without those that had expired, once the rows hold everything up to `upTo`. */
  async countEnded(of: EndedEpoch, upTo: Position | null, signal: AbortSignal): Promise<number> {
    if (upTo !== null) await untilHeld(dependencies.progress, upTo, signal);
    let total = 0;
    let after: string | null = '';
    while (after !== null) {
      signal.throwIfAborted();
      const counted: readonly Counted[] = await reader.query<Counted>(endedOfEpoch, [
        of.organizationId,
        of.addonId,
        of.epoch,
        of.at,
        after,
      ]);
      total += counted[0]?.grants ?? 0;
      after = counted[0]?.last ?? null;
    }
    return total;
  },
});

type Counted = { readonly grants: number; readonly last: string | null };

/** A user's own grants, for one add-on or all, that the log ends and rows do not; waits for rows up to that event. */
export const readOwnGrants = (reader: PipelinedReader, { progress }: Pick<CatchUpDependencies, 'progress'>) =>
  async function* (
    of: { readonly userId: string; readonly addonId: string | null; readonly upTo: Position },
    signal: AbortSignal,
  ): AsyncGenerator<readonly GrantToEnd[]> {
    await untilHeld(progress, of.upTo, signal);
    yield* pagesOf(reader, liveOfUser, [of.userId, of.addonId, of.upTo.commit]);
  };

const pageSize = 1_000;

type Row = { readonly grantId: string; readonly revision: number };

/** Page by page in the order of the ids: the statement's last two values are the id to begin after, and how many. */
async function* pagesOf(
  reader: PipelinedReader,
  statement: Named,
  values: readonly unknown[],
): AsyncGenerator<readonly GrantToEnd[]> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const rows: readonly Row[] = await reader.query<Row>(statement, [...values, after, pageSize]);
    if (rows.length > 0) yield rows.map(({ grantId, revision }) => ({ grantId, revision: BigInt(revision) }));
    after = rows.length === pageSize ? rows.at(-1)?.grantId : undefined;
  }
}

/** A code is the first event, its redemption the second, and each rotation one more. */
const columns = `grant_id as "grantId", case status when 'issued' then 0 else rotation + 1 end as revision`;

const liveOfEpoch = statement('live-grants-of-epoch')`
    select ${columns} from grants
    where organization_id = $1 and addon_id = $2 and epoch = $3 and status <> 'ended' and grant_id > $4
    order by grant_id limit $5`;

const liveOfUser = statement('live-grants-of-user')`
    select ${columns} from grants
    where user_id = $1 and ($2::text is null or addon_id = $2) and organization_id is null and status <> 'ended'
      and issued_position < $3 and grant_id > $4
    order by grant_id limit $5`;

/** This many at once: no statement is long, so nothing waits long behind it on the same connection. */
const endedOfEpoch = statement('ended-grants-of-epoch')`
    select count(*)::int as grants, max(grant_id) as last from (
      select grant_id from grants
      where organization_id = $1 and addon_id = $2 and epoch = $3 and ended_reason = 'addon-deactivated'
        and ${wasUsable('$4')} and grant_id > $5
      order by grant_id limit 10000) as chunk`;
