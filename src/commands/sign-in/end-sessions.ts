import { endSessions } from '../../domain/people/account.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { endSession, sessionDecider } from '../../domain/sign-in/session.ts';
import { sessionStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { onAccount, onSession } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/** Ends one session of a user. One that has ended, or that another user has, is unknown. */
export const makeEndSession =
  ({ store, now }: Dependencies) =>
  async (
    { userId, sessionId, by }: { readonly userId: string; readonly sessionId: string; readonly by: string },
    context?: CommandContext,
  ): Promise<Outcome<{ readonly position: Position | null }, 'session-unknown'>> => {
    if (!isUlid(sessionId)) return { ok: false, refusal: 'session-unknown' };
    const { state } = await load(store, sessionStream(sessionId), sessionDecider);
    if (state.status !== 'started' || state.userId !== userId)
      return { ok: false, refusal: 'session-unknown' };
    const { position } = await onSession(store, sessionId, (session) => endSession(session, { now: now() }), {
      context,
      metadata: { actor: by },
    });
    return { ok: true, value: { position } };
  };

/**
 * Ends all sessions of a user, or all except one. The event itself ends them on every instance: each session is compared
 * with it when it is read (load-account.ts), whether or not anybody knew of it. Administrator tokens stay valid.
 */
export const makeEndSessions =
  ({ store, now }: Dependencies) =>
  async (
    {
      userId,
      exceptSession = null,
      by,
    }: {
      readonly userId: string;
      readonly exceptSession?: string | null;
      /** A user's id, or `break-glass`. */
      readonly by: string;
    },
    context?: CommandContext,
  ): Promise<Outcome<{ readonly position: Position | null }, 'user-unknown'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { refusal, position } = await onAccount(
      store,
      userId,
      (account) => endSessions(account, { exceptSession, now: now() }),
      { context, metadata: { actor: by } },
    );
    return refusal ? { ok: false, refusal } : { ok: true, value: { position } };
  };
