import type { CommandContext } from '../commands/context.ts';
import { grantEndDecider, revokeGrant } from '../domain/grant-revoke.ts';
import type { GrantRevocationReason } from '../domain/grant.ts';
import { grantStream } from '../domain/streams.ts';
import {
  comparePositions,
  type Position,
  type RecordedEvent,
  StreamUnreadable,
} from '../eventstore/event-store.ts';
import { handle, type HandleOptions } from '../commands/handle.ts';
import { forEachConcurrent } from '../commands/for-each-concurrent.ts';
import { loadGrantEnd } from '../commands/load-grant.ts';
import type { CommandDependencies } from '../commands/dependencies.ts';
import { retryUnknownOutcome } from '../commands/retry-unknown-outcome.ts';
import { eventIdOf } from './revocation-events.ts';

/**
 * A grant to end. `revision` is where its stream is believed to end: right, it saves a read; wrong, or absent, its
 * newest event is read. Only an append at an exact revision ever counts.
 */
export type GrantToEnd = { readonly grantId: string; readonly revision?: bigint };

export type EndGrants = {
  readonly grants: AsyncIterable<readonly GrantToEnd[]>;
  readonly reason: GrantRevocationReason;
  /** What ends them. The ids of the events follow from it, so that a repeat after a crash is a no-op. */
  readonly cause: Pick<RecordedEvent, 'id'>;
  readonly actor: string;
};

/**
 * Ends a great many grants for the log's readers: one GrantRevoked each, nothing for those that have ended. The fence
 * gets no rows from here: what the grants hang on has closed it for good, and the projector adds theirs.
 * @throws StreamUnreadable after all others have ended, where a grant's stream holds an event that cannot be decoded
 * @returns up to where the log has to be read to have seen all of them ended; null when there were none
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

/** One grant that nothing can be decided on keeps none of the others from ending. */
const keep = (unreadable: StreamUnreadable[]) => (error: unknown) => {
  if (!(error instanceof StreamUnreadable)) throw error;
  unreadable.push(error);
};

const lastingAt = (revision: bigint) =>
  ({
    assume: { state: { status: 'lasting' }, revision, position: null, fenced: [] },
  }) as const satisfies Partial<HandleOptions<unknown, never>>;
