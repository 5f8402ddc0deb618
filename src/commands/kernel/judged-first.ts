import type { DomainEvent } from '../../domain/events.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { AppendResult, EventStore, RecordedEvent, StreamSlice } from '../../eventstore/event-store.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { ChangedMeanwhile } from './handle.ts';
import { type Command, completedIfKilled, overtakenIn, sinceOf } from './unfinished-calls.ts';

/**
 * A command that appends to several streams. It first runs on a store that keeps in memory what it appends, so that what is refused there
 * has changed nothing (RFC 5789 §2). The second run decides again, on the log; where it is killed, it is completed,
 * unless somebody has changed since what it has still to change.
 */
export const judgedFirst = <
  Dependencies extends Pick<CommandDependencies, 'store' | 'unfinished'>,
  Request,
  Result extends { readonly ok: boolean },
>(
  command: string,
  make: (dependencies: Dependencies) => Command<Request, Result>,
  dependencies: Dependencies,
  /** Releases what an earlier run left claimed, when it was killed. */
  release: (request: Request, context: CommandContext | undefined) => Promise<unknown>,
): Command<Request, Result> => {
  const run = make(dependencies);
  const completed = completedIfKilled(dependencies.unfinished, command, run);
  return async (request, context) => {
    const rehearsal = rehearsalOn(dependencies.store);
    // A context of its own: an append that was only rehearsed confirms nothing (`unchangedSince`).
    const judged = await make({ ...dependencies, store: rehearsal.store })(
      request,
      context && { ...context },
    );
    if (!judged.ok) {
      await release(request, context);
      return judged;
    }
    const changed = rehearsal.changed();
    const overtaken = overtakenIn(changed, context);
    if (overtaken !== undefined) {
      await release(request, context);
      throw new ChangedMeanwhile(overtaken);
    }
    return changed.size < 2 ? run(request, context) : completed(request, context, sinceOf(changed));
  };
};

/** Reads the store, and keeps in memory what is appended. */
const rehearsalOn = (store: EventStore) => {
  const before = new Map<StreamName, readonly RecordedEvent[]>();
  const rehearsed = new Map<StreamName, readonly RecordedEvent[]>();
  const read = async (stream: StreamName): Promise<StreamSlice> => {
    const [stored, more] = [await store.read(stream), rehearsed.get(stream) ?? []];
    before.set(stream, stored.events);
    return { events: [...stored.events, ...more], revision: more.at(-1)?.revision ?? stored.revision };
  };
  const rehearsing: EventStore = {
    ...store,
    read,
    append: async (stream, expected, events): Promise<AppendResult> => {
      const { revision: actual } = await read(stream);
      if (actual !== expected) return { ok: false, actual };
      const first = actual === 'no-stream' ? 0n : actual + 1n;
      const recorded = events.map(({ event, metadata = {} }, index): RecordedEvent => {
        const revision = first + BigInt(index);
        return {
          id: '',
          stream,
          revision,
          position: nowhere,
          created: 0,
          event: event as DomainEvent,
          metadata,
        };
      });
      rehearsed.set(stream, [...(rehearsed.get(stream) ?? []), ...recorded]);
      return { ok: true, revision: first + BigInt(events.length - 1), position: nowhere };
    },
  };
  /** The streams to which it appended, as they are stored. */
  const changed = () => new Map([...rehearsed.keys()].map((stream) => [stream, before.get(stream) ?? []]));
  return { store: rehearsing, changed };
};

const nowhere = { commit: 0n, prepare: 0n };
