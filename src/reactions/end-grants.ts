import { eventIdOf } from '../common/event-id.ts';
import type { CommandContext } from '../commands/kernel/context.ts';
import { grantEndDecider, revokeGrant } from '../domain/access/grant-revoke.ts';
import type { GrantRevocationReason } from '../domain/access/grant.ts';
import { grantStream } from '../domain/streams.ts';
import {
  comparePositions,
  type Position,
  type RecordedEvent,
  StreamUnreadable,
} from '../eventstore/event-store.ts';
import { handle, type HandleOptions } from '../commands/kernel/handle.ts';
import { forEachConcurrent } from '../commands/kernel/for-each-concurrent.ts';
import { loadGrantEnd } from '../commands/access/load-grant.ts';
import type { CommandDependencies } from '../commands/kernel/dependencies.ts';
import { retryUnknownOutcome } from '../commands/kernel/retry-unknown-outcome.ts';

/** A grant to end. A right `revision` saves a read; otherwise the newest event is read. Appends need the exact one. */
export type GrantToEnd = { readonly grantId: string; readonly revision?: bigint };

export type EndGrants = {
  readonly grants: AsyncIterable<readonly GrantToEnd[]>;
  readonly reason: GrantRevocationReason;
  /** What ends them: the new events' ids are derived from it, so a repeat appends nothing. */
  readonly cause: Pick<RecordedEvent, 'id'>;
  readonly actor: string;
};

/**
 * One GrantRevoked for each grant that has not ended; no fence rows, their subject is closed. @throws StreamUnreadable after all others
 * @returns up to where the log has to be read to see them ended; null when there were none
 */
export const makeEndGrants =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { grants, reason, cause, actor }: EndGrants,
    signal: AbortSignal,
    context?: CommandContext,
  ): Promise<Position | null> => {
    let newest: Position | null = null;
    const metadata = { actor, causationId: cause.id };
    const end = async ({ grantId, revision }: GrantToEnd) => {
      const stream = grantStream(grantId);
      const options = {
        context,
        metadata,
        eventId: () => eventIdOf(cause.id, 'GrantRevoked', grantId),
        load: () => loadGrantEnd(store, stream),
      };
      const { position } = await retryUnknownOutcome((attempt) =>
        handle(store, stream, grantEndDecider, (grant) => revokeGrant(grant, { reason, now: now() }), {
          ...options,
          ...(attempt === 'first' && revision !== undefined && lastingAt(revision)),
        }),
      );
      if (position && (newest === null || comparePositions(position, newest) > 0)) newest = position;
    };
    const unreadable: StreamUnreadable[] = [];
    await forEachConcurrent(grants, (grant) => end(grant).catch(keep(unreadable)), signal);
    if (unreadable[0]) throw unreadable[0];
    return newest;
  };

/** A grant with an unreadable stream must not keep the others from ending. */
const keep = (unreadable: StreamUnreadable[]) => (error: unknown) => {
  if (!(error instanceof StreamUnreadable)) throw error;
  unreadable.push(error);
};

const lastingAt = (revision: bigint) =>
  ({
    assume: { state: { status: 'lasting' }, revision, position: null, fenced: [] },
  }) as const satisfies Partial<HandleOptions<unknown, never>>;
