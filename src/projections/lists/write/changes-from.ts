import type { Instant } from '../../../domain/kernel/decision.ts';
import type { Removal } from '../../retention/clean-tables.ts';

const DAY = 86_400_000;

/**
 * Removes removals that no token needs: a page of changes may hand on a place as old as its own token was, so they stay for twice as long.
 * Whatever the clocks are, a token of a place up to there is no longer accepted.
 */
export const oldListRemovals = (now: () => Instant, retentionDays: number): Removal => ({
  table: 'list_removals',
  remove: async (tx, most) =>
    (await tx.query(removeOld, [now() - (2 * retentionDays + 1) * DAY, most])).rowCount ?? 0,
});

const key = ['list', 'organization_id', 'user_id', 'id', 'ordinal'];

const removeOld = `
  with old as materialized (
    select ${key.join(', ')}, removed from list_removals
    where removed_at < $1 order by removed_at limit $2 for update skip locked),
  known as (
    update list_changes_from set position = greatest(position, (select max(removed) from old)) where exists (select from old))
  delete from list_removals as gone using old where ${key.map((name) => `gone.${name} = old.${name}`).join(' and ')}`;
