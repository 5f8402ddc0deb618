import { type Decider, type Decision, fold } from '../../domain/kernel/decision.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { fenceRowsIn } from '../../domain/fence/fence-rows.ts';
import type { FenceRow } from '../../domain/fence/fence.ts';
import type { StreamName } from '../../domain/streams.ts';
import {
  comparePositions,
  type EventMetadata,
  type EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '../../eventstore/event-store.ts';
import { isToBeNamed, namedBy } from './acting-store.ts';
import type { CommandContext } from './context.ts';

/** The state of a stream, folded up to a revision. */
export type Known<S> = {
  readonly state: S;
  readonly revision: ExpectedRevision;
  /** Position of the newest event, as far as it is known. */
  readonly position: Position | null;
  /** Which subjects its events have closed or opened: the newest row of each. */
  readonly fenced: readonly FenceRow[];
};

/** The result of a command: the state after it, what this call appended, and why it was refused, if it was. */
export type Handled<S, E, R extends string> = Known<S> & {
  /** The state that was decided on. */
  readonly before: S;
  readonly events: readonly E[];
  readonly refusal: R | undefined;
};

export type HandleOptions<S, E> = {
  /** The context of the command; required, so that no command forgets to pass it on. */
  readonly context: CommandContext | undefined;
  readonly metadata?: EventMetadata;
  /** Ids of the events, where a repeat after a crash must change nothing; random by default. */
  readonly eventId?: (event: E, index: number) => string;
  /** The expected state, which saves the read. Only an append confirms it, so a decision without events is made again on the real state. */
  readonly assume?: Known<S>;
  /** How the stream is read; the whole stream by default. */
  readonly load?: () => Promise<Known<S>>;
};

/** Each conflict means that another writer succeeded: used up only with as many concurrent writers of a stream. */
const maxAttempts = 16;

/**
 * Load, fold, decide, append at the folded revision; a conflict begins again. A refusal's events are appended, too.
 * @throws EventStoreUnavailable also when the stream changed before every attempt
 */
export const handle = async <S, E extends DomainEvent, R extends string = never>(
  store: EventStore,
  stream: StreamName,
  decider: Decider<S, E>,
  decide: (state: S) => Decision<E, R>,
  options: HandleOptions<S, E>,
): Promise<Handled<S, E, R>> => {
  const attempts = makeAttempts(store, stream, decider, options);
  for (;;) {
    const { state } = await attempts.load();
    const handled = await attempts.append(decide(state));
    if (handled) return handled;
  }
};

/** The steps of `handle`, for a command that calls them itself, in this order, until `append` has a result. */
export type Attempts<S, E extends DomainEvent> = {
  /** The state to decide on: the assumed one first, then the stream's. @throws EventStoreUnavailable as `handle` does */
  load(): Promise<Known<S>>;
  /**
   * Appends what was decided, at that state's revision. Null: again, because another was first, or nothing was decided on an assumed state.
   * @param isFinal whether a decision without events counts on an assumed state, too
   */
  append<R extends string>(decision: Decision<E, R>, isFinal?: boolean): Promise<Handled<S, E, R> | null>;
};

export const makeAttempts = <S, E extends DomainEvent>(
  store: EventStore,
  stream: StreamName,
  decider: Decider<S, E>,
  options: HandleOptions<S, E>,
): Attempts<S, E> => {
  const { context } = options;
  let { assume } = options;
  let known = unseen(decider);
  let left = maxAttempts;
  return {
    async load() {
      if (left === 0)
        throw new EventStoreUnavailable(
          `the stream ${stream} changed during each of ${maxAttempts} attempts`,
        );
      left -= 1;
      known = assume ?? (await (options.load?.() ?? load(store, stream, decider)));
      refuseIfChanged(stream, known.revision, context);
      return known;
    },
    async append({ events, refusal }, isFinal = false) {
      const isConfirmed = isFinal || assume === undefined;
      assume = undefined;
      const before = known.state;
      if (events.length === 0) return isConfirmed ? { ...known, before, events, refusal } : null;
      const appended = await store.append(stream, known.revision, toAppend(events, options));
      if (!appended.ok) return null;
      const state = events.reduce(decider.evolve, before);
      const { revision, position } = appended;
      const first = revision - BigInt(events.length - 1);
      const told = events.map((event, index) => ({ stream, revision: first + BigInt(index), event }));
      const fenced = fenceRowsIn(told, known.fenced);
      if (context?.unchangedSince?.stream === stream) confirmed.add(context);
      return { before, state, revision, position, fenced, events, refusal };
    },
  };
};

/** Reads and folds a stream; one that does not exist is the initial state at `no-stream`. */
export const load = async <S, E extends DomainEvent>(
  store: Pick<EventStore, 'read'>,
  stream: StreamName,
  decider: Decider<S, E>,
): Promise<Known<S>> => {
  const { events, revision } = await store.read(stream);
  return knownFrom(decider, events, revision);
};

/** Folds the events of a stream, from its first one on. */
export const knownFrom = <S, E extends DomainEvent>(
  decider: Decider<S, E>,
  events: readonly RecordedEvent[],
  revision: ExpectedRevision = events.at(-1)?.revision ?? 'no-stream',
): Known<S> => {
  // A stream's category says which events it holds; only `handle` writes to it, with the decider of the same type.
  const state = fold(
    decider,
    events.map(({ event }) => event as E),
  );
  return { state, revision, position: events.at(-1)?.position ?? null, fenced: fenceRowsIn(events) };
};

/** The known state with the events after it; null when the newest known event is not in the `tail`. */
export const grownFrom = <S, E extends DomainEvent>(
  decider: Decider<S, E>,
  known: Known<S>,
  tail: readonly RecordedEvent[],
  revision: ExpectedRevision = tail.at(-1)?.revision ?? known.revision,
): Known<S> | null => {
  // Its revision may be that of an event after it, which was skipped.
  const { position } = known;
  const at = position ? tail.findIndex((event) => comparePositions(event.position, position) === 0) : -1;
  if (at < 0) return null;
  const grown = knownFrom({ ...decider, initial: known.state }, tail.slice(at + 1), revision);
  return { ...grown, position: tail.at(-1)?.position ?? position };
};

const toAppend = <S, E extends DomainEvent>(
  events: readonly E[],
  { context, metadata, eventId }: HandleOptions<S, E>,
) =>
  events.map((event, index) => ({
    event,
    ...(eventId && { id: eventId(event, index) }),
    ...((context ?? metadata) && { metadata: metadataOf(context, metadata) }),
  }));

/** Something was appended after the revision on which the caller decided; nothing was done. */
export class ChangedMeanwhile extends Error {
  constructor(stream: StreamName) {
    super(`${stream} has changed since it was shown`);
  }
}

/** Contexts whose first append to that stream has succeeded: what a command appends itself is no change by somebody else. */
const confirmed = new WeakSet<CommandContext>();

const refuseIfChanged = (
  stream: StreamName,
  revision: ExpectedRevision,
  context: CommandContext | undefined,
): void => {
  const since = context?.unchangedSince;
  if (!context || since?.stream !== stream || confirmed.has(context)) return;
  if (revision !== since.revision) throw new ChangedMeanwhile(stream);
};

const metadataOf = (
  {
    acting,
    unchangedSince: _since,
    once: _once,
    completing: _completing,
    ...context
  }: Partial<CommandContext> = {},
  metadata: EventMetadata | undefined,
): EventMetadata => ({
  ...context,
  ...metadata,
  ...(acting && isToBeNamed(metadata) && namedBy(acting)),
});

/** The state of a stream before its first event: for `assume`, with an id that was just made or is probably new. */
export const unseen = <S, E>({ initial }: Decider<S, E>): Known<S> => ({
  state: initial,
  revision: 'no-stream',
  position: null,
  fenced: [],
});
