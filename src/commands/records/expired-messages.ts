import { breakGlass } from '../../domain/kernel/actor.ts';
import {
  confirmExpired,
  type ExpiredMessages,
  expiredMessagesDecider,
  type Gap,
  noteExpired,
  type RecordsPath,
} from '../../domain/records/expired-messages.ts';
import { expiredMessagesStream } from '../../domain/streams.ts';
import type { EventStore, Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { load } from '../kernel/handle.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/** Appends that messages expired unread, as far as that was not known. */
export const makeNoteExpired =
  ({ store, now }: Dependencies) =>
  async (gap: Omit<Gap, 'at'>, context?: CommandContext): Promise<void> => {
    const found = { ...gap, at: now() };
    await handleRetrying(
      store,
      expiredMessagesStream,
      expiredMessagesDecider,
      (state) => noteExpired(state, found),
      { context },
    );
  };

/** @returns where it was appended; null where nothing was missing */
export const makeConfirmExpired =
  ({ store, now }: Dependencies) =>
  async (records: RecordsPath, context?: CommandContext): Promise<Position | null> => {
    const confirmed = { records, by: context?.acting?.actor ?? breakGlass, at: now() };
    const { events, position } = await handleRetrying(
      store,
      expiredMessagesStream,
      expiredMessagesDecider,
      (state) => confirmExpired(state, confirmed),
      { context, ...byOperator() },
    );
    return events.length > 0 ? position : null;
  };

export const makeExpiredMessages =
  ({ store }: { readonly store: Pick<EventStore, 'read'> }) =>
  async (): Promise<ExpiredMessages> =>
    (await load(store, expiredMessagesStream, expiredMessagesDecider)).state;
