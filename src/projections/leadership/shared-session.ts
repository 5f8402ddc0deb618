import {
  openLeaderConnection,
  type LeaderConnection,
  type OpenLeaderSession,
  sessionOver,
} from './leader-session.ts';
import type { Tx } from '../follow/projection.ts';

/**
 * For workers that write rarely: their locks are on one session, on which they write in turns, a statement or a
 * transaction each. It is closed with the last of them.
 */
export const makeSharedSession = (): OpenLeaderSession => {
  let newest: ReturnType<typeof share> | null = null;
  return async (dependencies) => {
    const shared = (newest ??= share(openLeaderConnection({ ...dependencies, name: 'upkeep' })));
    const forget = () => {
      if (newest === shared) newest = null;
    };
    const connection = await shared.join().catch((error: unknown) => {
      forget();
      throw error;
    });
    connection.lost.addEventListener('abort', forget);
    if (connection.lost.aborted) forget();
    const close = async () => {
      connection.lost.removeEventListener('abort', forget);
      if (shared.leave() > 0) return;
      forget();
      await connection.close();
    };
    return sessionOver({ ...connection, close }, dependencies);
  };
};

/** Counts who uses it, and gives each a `tx` of their own. */
const share = (connecting: Promise<LeaderConnection>) => {
  let users = 0;
  let last: Promise<unknown> = Promise.resolve();
  const turn = async (): Promise<() => void> => {
    const before = last;
    let end = () => {};
    last = new Promise<void>((resolve) => (end = resolve));
    await before;
    return end;
  };
  /** Whoever has sent `begin` keeps the turn until `commit` or `rollback`. */
  const inTurns = (tx: Tx): Tx => {
    let endTransaction: (() => void) | null = null;
    const query = async (...args: Parameters<Tx['query']>): Promise<unknown> => {
      const [text] = args as readonly unknown[];
      const end = endTransaction ?? (await turn());
      endTransaction ??= text === 'begin' ? end : null;
      let ends = endTransaction === null || text === 'rollback';
      try {
        const answer = await (tx.query(...args) as unknown as Promise<unknown>);
        ends ||= text === 'commit';
        return answer;
      } catch (error) {
        ends ||= text === 'begin';
        throw error;
      } finally {
        if (ends) {
          endTransaction = null;
          end();
        }
      }
    };
    return { query: query as Tx['query'] };
  };
  return {
    async join(): Promise<LeaderConnection> {
      users += 1;
      const connection = await connecting;
      return { ...connection, tx: inTurns(connection.tx) };
    },
    /** @returns how many are left */
    leave: () => (users -= 1),
  };
};
