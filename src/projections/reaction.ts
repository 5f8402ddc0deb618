import type { EventType } from '../domain/events.ts';
import type { LogSubscriptions, RecordedEvent } from '../eventstore/event-store.ts';
import { linkAbort } from '../eventstore/linked-abort.ts';
import { moveCheckpoint } from './checkpoint.ts';
import type { Term } from './leader.ts';
import { startLed, type Led, type LedNeeds, type Progress } from './led.ts';
import { lastPosition } from './log-messages.ts';
import type { Logger } from './read-lane.ts';
import { unlessAborted } from './unless-aborted.ts';

export type ReactionNeeds = {
  readonly databaseUrl: string;
  readonly log: LogSubscriptions;
  readonly logger: Logger;
  /** Of its checkpoint. Not the name of a projection: a reaction is never run again from the beginning by a rebuild. */
  readonly name: string;
  readonly eventTypes: readonly EventType[];
  /**
   * Must be idempotent. A rejection is tried again, with a growing pause, until it works: nothing is skipped. Once `signal`
   * is aborted, this instance leads no more, or stops: nobody waits for the handler then, and it should begin nothing more.
   */
  readonly handle: (event: RecordedEvent, signal: AbortSignal) => Promise<void>;
  readonly bounds?: LedNeeds['bounds'];
};

/**
 * Runs `handle` for each event in order, at least once, on one instance at a time. The checkpoint moves after the
 * handler has returned: an event may be handled again after a crash, never left out.
 */
export const startReaction = (needs: ReactionNeeds): Led =>
  startLed({
    databaseUrl: needs.databaseUrl,
    name: needs.name,
    logger: needs.logger,
    ...(needs.bounds && { bounds: needs.bounds }),
    work: (term, progressed) => react(needs, term, progressed),
  });

const react = async (
  { log, eventTypes, handle }: ReactionNeeds,
  { tx, lease, position: start, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  let position = start;
  const leaving = linkAbort(signal);
  try {
    for await (const message of log.subscribe({ after: start, eventTypes, signal: leaving.signal })) {
      if (signal.aborted) return;
      if (message.kind === 'event') await unlessAborted(handle(message.event, signal), signal);
      if (signal.aborted) return; // it may have stopped half-way
      const next = lastPosition([message]);
      if (next) await moveCheckpoint(tx, lease, position, next);
      position = next ?? position;
      progressed(position, message.kind === 'caught-up');
    }
    if (!signal.aborted) throw new Error('The subscription ended');
  } finally {
    leaving.abort();
    leaving.unlink();
  }
};
