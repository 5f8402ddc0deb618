import { setTimeout as delay } from 'node:timers/promises';
import {
  comparePositions,
  type EventStore,
  type LogReader,
  type Position,
} from '../../eventstore/event-store.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
  type Progress,
} from '../leadership/leader-elected-worker.ts';
import type { Term } from '../leadership/leader.ts';
import {
  ownedPlaceIn,
  ownedStreams,
  ownerChangeIn,
  streamsGroup,
  writeStreamsByOwner,
  type OwnedPlace,
  type OwnerChange,
} from '../kernel/streams-by-owner.ts';

export type StreamsKeeperDependencies = LedDependencies & {
  readonly log: Pick<EventStore, 'head'> & LogReader;
  /** The interval between two reads of the log's end: callers read newer events from the log. */
  readonly everyMs?: number;
  /** The most rows in one transaction. */
  readonly batchSize?: number;
};

/** Where each owner's streams and events are, and whose each record was when. Not decoded: works for unreadable ones. */
export const startKeepingStreams = (dependencies: StreamsKeeperDependencies): LeaderElectedWorker =>
  startLeaderElectedWorker({
    ...dependencies,
    name: streamsGroup,
    work: (term, progressed) => keep(dependencies, term, progressed),
  });

const keep = async (
  dependencies: StreamsKeeperDependencies,
  term: Term,
  progressed: Progress,
): Promise<void> => {
  const { signal } = term;
  let position = term.position;
  while (!signal.aborted) {
    const head = await dependencies.log.head();
    if (head && (position === null || comparePositions(head, position) > 0))
      position = await keepUpTo(dependencies, term, position, head);
    progressed(position, !signal.aborted);
    await delay(dependencies.everyMs ?? 5_000, undefined, { signal }).catch(() => undefined);
  }
};

/** @returns the position reached: before the head when the signal was aborted */
const keepUpTo = async (
  { log, batchSize = 1000 }: StreamsKeeperDependencies,
  { tx, lease, signal }: Term,
  start: Position | null,
  head: Position,
): Promise<Position | null> => {
  let position = start;
  let places = new Map<string, OwnedPlace>();
  let changes: OwnerChange[] = [];
  const write = async (to: Position): Promise<void> => {
    await writeStreamsByOwner(tx, lease, { from: position, to, places: [...places.values()], changes });
    position = to;
    places = new Map();
    changes = [];
  };
  const only = { streams: ownedStreams };
  for await (const event of log.readLog({ after: start, until: head, only, signal })) {
    const found = ownedPlaceIn(event);
    if (found && !places.has(found.place)) places.set(found.place, found);
    const change = ownerChangeIn(event);
    if (change) changes.push(change);
    if (places.size + changes.length >= batchSize) await write(event.position);
  }
  if (!signal.aborted && (position === null || comparePositions(head, position) > 0)) await write(head);
  return position;
};
