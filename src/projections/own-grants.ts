import type { Position } from '../eventstore/event-store.ts';
import type { ReadProgress } from './progress.ts';
import type { ReadLane } from './read-lane.ts';

/**
 * The grants of a user's own data, of one add-on or of all, that have not ended although the log has something after
 * their code that ends them. Waits until the rows hold everything up to there: what was granted later is left out.
 */
export const readOwnGrants =
  (lane: ReadLane, progress: Pick<ReadProgress, 'waitFor'>) =>
  async ({
    userId,
    addonId,
    upTo,
  }: {
    readonly userId: string;
    readonly addonId: string | null;
    readonly upTo: Position;
  }): Promise<readonly { readonly grantId: string }[]> => {
    if (!(await progress.waitFor(upTo, 5_000))) throw new Error('The grants are not up to date yet');
    return lane.query({ name: 'own-grants', text: ownGrants }, [userId, addonId, upTo.commit]);
  };

const ownGrants = `
  select grant_id as "grantId" from grants
  where user_id = $1 and ($2::text is null or addon_id = $2) and organization_id is null and status <> 'ended'
    and (issued_position is null or issued_position < $3)
  order by issued_at, grant_id`;
