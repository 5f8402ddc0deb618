import { type Decider, type Decision, fold } from '../domain/decision.ts';
import type { DomainEvent } from '../domain/events.ts';
import { fenceRowsIn } from '../domain/fence-rows.ts';
import type { FenceRow } from '../domain/fence.ts';
import type { StreamName } from '../domain/streams.ts';
import {
  type EventMetadata,
  type EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '../eventstore/event-store.ts';
import type { CommandContext } from './context.ts';

/** A stream folded up to a revision. */
export type Known<S> = {
  readonly state: S;
  readonly revision: ExpectedRevision;
  /** Of the newest event, as far as it is known. */
  readonly position: Position | null;
  /** What its events have closed and opened: the newest row of each subject. */
  readonly fenced: readonly FenceRow[];
};

/** What came of a command: the state after it, what this call appended, and why it was refused, if it was. */
export type Handled<S, E, R extends string> = Known<S> & {
  /** What was decided on. */
  readonly before: S;
  readonly events: readonly E[];
  readonly refusal: R | undefined;
};

export type HandleOptions<S, E> = {
  /** What a command was called with; required, so that none forgets to hand it on. */
  readonly context: CommandContext | undefined;
  readonly metadata?: EventMetadata;
  /** Ids of the events, where a repeat after a crash must be a no-op; random by default. */
  readonly eventId?: (event: E, index: number) => string;
  /**
   * Saves the read when the stream is believed to be known. Only an append at its revision confirms the belief,
   * so a decision without events is taken again on what the stream really holds.
   */
  readonly assume?: Known<S>;
  /** How the stream is read; whole by default. */
  readonly load?: () => Promise<Known<S>>;
};

/** Each conflict means that another writer got through, so only a stream with this many rivals runs out. */
const maxAttempts = 16;

/**
 * Load, fold, decide, append at the revision that was folded; on a conflict load and decide again.
 * Nothing is appended when the decision holds no events; a refusal's events are appended like any other.
 * @throws EventStoreUnavailable also when the stream changed under every attempt
 */
export const handle = async <S, E extends DomainEvent, R extends string = never>(
  store: EventStore,
  stream: StreamName,
  decider: Decider<S, E>,
  decide: (state: S) => Decision<E, R>,
  options: HandleOptions<S, E>,
): Promise<Handled<S, E, R>> => {
  let assumed = options.assume;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const known = assumed ?? (await (options.load?.() ?? load(store, stream, decider)));
    const { events, refusal } = decide(known.state);
    if (events.length === 0 && !assumed) return { ...known, before: known.state, events, refusal };
    const appended =
      events.length > 0 && (await store.append(stream, known.revision, toAppend(events, options)));
    if (appended && appended.ok) {
      const state = events.reduce(decider.evolve, known.state);
      const { revision, position } = appended;
      const first = revision - BigInt(events.length - 1);
      const told = events.map((event, index) => ({ stream, revision: first + BigInt(index), event }));
      const fenced = fenceRowsIn(told, known.fenced);
      return { before: known.state, state, revision, position, fenced, events, refusal };
    }
    assumed = undefined;
  }
  throw new EventStoreUnavailable(`the stream ${stream} changed under ${maxAttempts} attempts`);
};

/** Reads and folds a stream; one that does not exist is the initial state at `no-stream`. */
export const load = async <S, E extends DomainEvent>(
  store: EventStore,
  stream: StreamName,
  decider: Decider<S, E>,
): Promise<Known<S>> => {
  const { events, revision } = await store.read(stream);
  return knownFrom(decider, events, revision);
};

/** A stream, or the whole of a short one, folded. */
export const knownFrom = <S, E extends DomainEvent>(
  decider: Decider<S, E>,
  events: readonly RecordedEvent[],
  revision: ExpectedRevision = events.at(-1)?.revision ?? 'no-stream',
): Known<S> => {
  // A stream's category says which events it holds; only `handle` writes to it, with this same decider's type.
  const state = fold(
    decider,
    events.map(({ event }) => event as E),
  );
  return { state, revision, position: events.at(-1)?.position ?? null, fenced: fenceRowsIn(events) };
};

const toAppend = <S, E extends DomainEvent>(
  events: readonly E[],
  { context, metadata, eventId }: HandleOptions<S, E>,
) =>
  events.map((event, index) => ({
    event,
    ...(eventId && { id: eventId(event, index) }),
    ...((context ?? metadata) && { metadata: { ...context, ...metadata } }),
  }));

/** What a stream is known to be before its first event: to `assume` for an id that was just made, or likely is new. */
export const unseen = <S, E>({ initial }: Decider<S, E>): Known<S> => ({
  state: initial,
  revision: 'no-stream',
  position: null,
  fenced: [],
});
