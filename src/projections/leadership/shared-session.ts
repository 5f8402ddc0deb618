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
    const opened = () => share(openLeaderConnection({ ...dependencies, name: 'upkeep' }));
    if (newest === null || newest.isLost()) newest = opened();
    const shared = newest;
    const connection = await shared.join();
    const close = async () => {
      if (shared.leave() > 0) return;
      if (newest === shared) newest = null;
      await connection.close();
    };
    return sessionOver({ ...connection, close }, dependencies);
  };
};

/** Counts who uses it, and gives each a `tx` of their own. */
const share = (connecting: Promise<LeaderConnection>) => {
  let users = 0;
  let isLost = () => false;
  connecting.then(
    ({ lost }) => (isLost = () => lost.aborted),
    () => (isLost = () => true),
  );
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
    isLost: () => isLost(),
    /** @returns how many are left */
    leave: () => (users -= 1),
  };
};
