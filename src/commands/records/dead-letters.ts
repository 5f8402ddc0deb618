import {
  type DeadLetterResent,
  deadLettersDecider,
  type DeadLetterShown,
  noteResent,
  noteShown,
  type ResentLetters,
} from '../../domain/records/dead-letters.ts';
import { deadLettersStream } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { handle, load } from '../kernel/handle.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;
/** Appends that dead letters were resent, after they were; of each only once, however often it is called. */
export const makeNoteDeadLettersResent =
  ({ store, now }: Dependencies) =>
  async (letters: readonly Omit<DeadLetterResent, 'at'>[], context?: CommandContext): Promise<void> => {
    const at = now();
    const resent = letters.map((letter) => ({ ...letter, at }));
    await handleRetrying(store, deadLettersStream, deadLettersDecider, (known) => noteResent(known, resent), {
      context,
      ...byOperator(),
    });
  };

/** Appends that the content of a dead letter is shown, before it is. @throws when it is not stored for certain: then nothing is shown */
export const makeNoteDeadLetterShown =
  ({ store, now }: Dependencies) =>
  async (shown: Omit<DeadLetterShown, 'at'>, context?: CommandContext): Promise<void> => {
    await handle(store, deadLettersStream, deadLettersDecider, () => noteShown({ ...shown, at: now() }), {
      context,
      ...byOperator(),
    });
  };

/** The dead letters that were resent. */
export const makeResentDeadLetters =
  ({ store }: { readonly store: Pick<EventStore, 'read'> }) =>
  async (): Promise<ResentLetters> =>
    (await load(store, deadLettersStream, deadLettersDecider)).state;
