import type { FenceRow } from '../../domain/fence/fence.ts';
import type { Grant } from '../../domain/access/grant.ts';
import { type KnownGrant, lacks } from '../../domain/access/known-grant.ts';
import { type EventStore, type ExpectedRevision, LogBehind } from '../../eventstore/event-store.ts';
import type { Address } from '../credentials/credentials.ts';
import type { GrantDependencies } from '../access/dependencies.ts';

/**
 * The same command, but where what it reads contradicts proof it is repeated once, after the leader was confirmed. If
 * that does not help, nothing is concluded from what the log lacks: the caller has to try again (503). @throws LogBehind
 */
export const repeatOnLeader =
  ({ confirmLeader }: Pick<EventStore, 'confirmLeader'>) =>
  <Args extends readonly unknown[], T>(command: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<T> => {
    try {
      return await command(...args);
    } catch (error) {
      if (!(error instanceof LogBehind)) throw error;
    }
    await confirmLeader();
    return command(...args);
  };

type Dependencies = Pick<GrantDependencies, 'now' | 'knownGrants'>;

/**
 * Before a credential with a right MAC is refused for what its grant's stream lacks: `least` is what a code or token proves. @throws LogBehind
 * unless it has expired and the read models know no more: retention removes such streams, and a log can be given up.
 */
export const refuteByGrant = async (
  { now, knownGrants }: Dependencies,
  { grantId, expiresAt }: Pick<Address, 'grantId' | 'expiresAt'>,
  grant: Grant,
  least: KnownGrant,
): Promise<void> => {
  const known = now() < expiresAt ? least : (await knownGrants?.([grantId]))?.get(grantId);
  if (known && lacks(grant, known)) throw new LogBehind(`grant-${grantId} lacks what is known of it`);
};

/** What the MAC of a token proves. */
export const provenBy = ({ rotation }: Pick<Address, 'rotation'>): KnownGrant => ({
  status: 'redeemed',
  rotation,
});
export const provenByCode: KnownGrant = { status: 'issued', rotation: 0 };

/** The fence holds the revision of what closed or opened a subject. @throws LogBehind when its stream ends before that */
export const refuteByFence = (rows: readonly FenceRow[], revision: ExpectedRevision): void => {
  for (const row of rows)
    if (!row.parked && (revision === 'no-stream' || row.revision > revision))
      throw new LogBehind(`the stream of ${row.subject} ends before revision ${row.revision}`);
};
