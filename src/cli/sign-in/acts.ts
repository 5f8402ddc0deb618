import type { Writable } from 'node:stream';
import { actingStore } from '../../commands/kernel/acting-store.ts';
import type { Acting } from '../../commands/kernel/context.ts';
import { causeOf } from '../../common/server-away.ts';
import type { Actor } from '../../commands/people/tokens/read-operator-token.ts';
import { breakGlass } from '../../domain/kernel/actor.ts';
import type { EventStore } from '../../eventstore/event-store.ts';

/** Adds the actor to the events of a run. Without an actor it prints a warning once, and counts the run (HI-06). */
export const makeActs = (stderr: Writable) => {
  let acting: Acting | null = null;
  let count: (() => Promise<void>) | null = null;
  let counting: Promise<void> = Promise.resolve();
  const ask = (): Acting | null => {
    if (acting?.actor === breakGlass && count) {
      stderr.write(warning);
      counting = count();
      counting.catch(() => undefined); // `counted` reports it at the end
      count = null;
    }
    return acting;
  };
  return {
    named: <Store extends EventStore>(store: Store): Store => actingStore(store, ask),
    begin: ({ by, user }: Actor, counted: () => Promise<void>): void => {
      acting = { actor: by, tokenId: user?.tokenId ?? null };
      count = counted;
    },
    /** Waits for the count. If it fails, the events still name break-glass. */
    counted: (): Promise<void> =>
      counting.catch(
        (error: unknown) => void stderr.write(`Warning: this run could not be counted (${causeOf(error)})\n`),
      ),
  };
};

const warning =
  'Warning: nobody is signed in, so the audit log names break-glass as who did this. To sign in: grantbook login --email E\n';
