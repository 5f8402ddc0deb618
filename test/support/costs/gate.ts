import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogMessage, LogSubscriptions } from '../../../src/eventstore/event-store.ts';

type Follower = {
  readonly eventTypes: readonly string[];
  readonly held: LogMessage[];
  /** It was there when the gate was closed. */
  isHeld: boolean;
  wake: () => void;
};

/**
 * Between the log and those who follow it. While it is closed, their messages wait, and then all of them arrive at once:
 * so batches do not depend on the machine. Who only asks meanwhile for what is in the log is not held.
 */
export const makeGate = () => {
  const followers = new Set<Follower>();
  const reading = new AsyncLocalStorage<Follower>();
  const subscribeTo =
    (log: LogSubscriptions): LogSubscriptions['subscribe'] =>
    (options) => {
      const { eventTypes } = options;
      const follower: Follower = { eventTypes, held: [], isHeld: false, wake: () => undefined };
      let ended: { readonly error?: unknown } | null = null;
      const hold = async () => {
        try {
          for await (const message of log.subscribe(options)) {
            if (follower.isHeld && message.kind === 'checkpoint') continue;
            follower.held.push(message);
            if (!follower.isHeld) follower.wake();
          }
          ended = {};
        } catch (error) {
          ended = { error };
        }
        followers.delete(follower);
        follower.wake();
      };
      const deliver = async function* (): AsyncGenerator<LogMessage> {
        for (;;) {
          const next = follower.isHeld && !ended ? undefined : follower.held.shift();
          if (next) yield next;
          else if (!ended) await new Promise<void>((resolve) => (follower.wake = resolve));
          else if ('error' in ended) throw ended.error;
          else return;
        }
      };
      followers.add(follower);
      void reading.run(follower, hold);
      return deliver();
    };
  return {
    subscribeTo,
    close: () => {
      for (const follower of followers) follower.isHeld = true;
    },
    open: () => {
      for (const follower of followers) {
        follower.isHeld = false;
        follower.wake();
      }
    },
    /** How many events of this type wait, for each follower that gets them. */
    waiting: (type: string): readonly number[] =>
      [...followers]
        .filter(({ eventTypes, isHeld }) => isHeld && eventTypes.includes(type))
        .map(
          ({ held }) => held.filter((each) => each.kind === 'event' && each.event.event.type === type).length,
        ),
    /** Whether what happens now is done for a follower that is held, or for all of them. */
    isForHeld: (): boolean => reading.getStore()?.isHeld ?? true,
  };
};
