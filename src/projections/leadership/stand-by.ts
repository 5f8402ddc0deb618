import { namesWithoutLeader } from '../database/installation.ts';
import { LEADERSHIP_CHANNEL } from './leader-session.ts';
import { leadershipBounds } from './leadership-bounds.ts';
import type { Listener } from '../database/listener.ts';

export type Standby = {
  readonly name: string;
  readonly signal: AbortSignal;
  /** Called whenever the server answers that another instance leads. */
  readonly held: () => void;
};

/** Resolves when it is time to try for the lock: nobody holds it, nobody can say, or the signal is aborted. */
export type StandBy = (standby: Standby) => Promise<void>;

/** One question for all workers of an instance, on the connection that listens: a standby has no session of its own. */
export const makeStandBy = (
  listener: Pick<Listener, 'on' | 'ask'>,
  pollMs: number = leadershipBounds.pollMs,
): StandBy => {
  const waiting = new Map<Standby, () => void>();
  let polling: NodeJS.Timeout | undefined;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const asked = [...waiting.keys()];
    const free = await listener.ask<{ name: string }>(namesWithoutLeader, [asked.map(({ name }) => name)]);
    isLooking = false;
    for (const standby of asked)
      if (free === null || free.some(({ name }) => name === standby.name)) waiting.get(standby)?.();
      else standby.held();
  };
  listener.on(LEADERSHIP_CHANNEL, {
    heard: (freed) => {
      for (const [{ name }, wake] of waiting) if (name === freed) wake();
    },
  });
  return (standby) =>
    new Promise((resolve) => {
      const wake = () => {
        standby.signal.removeEventListener('abort', wake);
        waiting.delete(standby);
        if (waiting.size === 0) clearInterval(polling);
        resolve();
      };
      if (waiting.size === 0) polling = setInterval(() => void look(), pollMs);
      waiting.set(standby, wake);
      standby.signal.addEventListener('abort', wake);
      if (standby.signal.aborted) wake();
    });
};
