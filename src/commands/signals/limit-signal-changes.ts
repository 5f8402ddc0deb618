import type { Instant } from '../../domain/kernel/decision.ts';
import { signalStream } from '../../domain/streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { pausedUntil } from '../kernel/paused-until.ts';

/** More than a receiver needs that is set up, tested or moved, and too few to fill the log: each is an event. */
export const signalChangesPerHour = 600;
/** Of a member of the publisher: what they replay leaves room for the add-on itself. */
export const memberSignalChangesPerHour = 100;
const hour = 3_600_000;

/** When an add-on may change or create its stream again after `signalChangesPerHour` changes, by the log; null: now. @param userId a member who does so */
export const makeSignalChangesPausedUntil =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  (addonId: string, userId?: string): Promise<Instant | null> =>
    pausedUntil(store, signalStream(addonId), now(), {
      period: hour,
      most: signalChangesPerHour,
      ...(userId !== undefined && { of: { actor: userId, most: memberSignalChangesPerHour } }),
    });
