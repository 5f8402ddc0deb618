import { randomUUID } from 'node:crypto';
import { addonDecider } from '../../domain/addons/addon.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { accept, type Decider, type Decision } from '../../domain/kernel/decision.ts';
import { accountDecider } from '../../domain/people/account.ts';
import { publisherDecider } from '../../domain/publishers/publisher.ts';
import { sessionDecider } from '../../domain/sign-in/session.ts';
import {
  accountStream,
  addonStream,
  publisherStream,
  sessionStream,
  type StreamName,
} from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import { handle, load, type Handled, type HandleOptions } from './handle.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Decide<S, E, R extends string> = (state: S, attempt: 'first' | 'again') => Decision<E, R>;

/**
 * `handle`, and again, once, when the outcome of its append is unknown. If the stream has what was appended, nothing is decided again:
 * that would undo what somebody else did after it (FX-59).
 */
export const handleRetrying = <S, E extends DomainEvent, R extends string = never>(
  store: EventStore,
  stream: StreamName,
  decider: Decider<S, E>,
  decide: Decide<S, E, R>,
  options: HandleOptions<S, E>,
): Promise<Handled<S, E, R>> => {
  const sent = new Set<string>();
  const eventId = (event: E, index: number): string => {
    const id = options.eventId?.(event, index) ?? randomUUID();
    sent.add(id);
    return id;
  };
  const loadOnce = () => options.load?.() ?? load(store, stream, decider);
  return retryUnknownOutcome((attempt) => {
    let isStored = false;
    /** Asked after the state was read: what arrives later makes the append a conflict. What is there now, the state has to have. */
    const loadAgain = async () => {
      const known = await loadOnce();
      isStored = (await store.read(stream)).events.some(({ id }) => sent.has(id));
      return isStored ? loadOnce() : known;
    };
    return handle(store, stream, decider, (state) => (isStored ? accept() : decide(state, attempt)), {
      ...options,
      eventId,
      ...(attempt === 'again' && { load: loadAgain }),
    });
  });
};

const on =
  <S, E extends DomainEvent>(streamOf: (id: string) => StreamName, decider: Decider<S, E>) =>
  <R extends string = never>(
    store: EventStore,
    id: string,
    decide: Decide<S, E, R>,
    options: HandleOptions<S, E>,
  ): Promise<Handled<S, E, R>> =>
    handleRetrying(store, streamOf(id), decider, decide, options);

export const onAccount = on(accountStream, accountDecider);
export const onAddon = on(addonStream, addonDecider);
export const onPublisher = on(publisherStream, publisherDecider);
export const onSession = on(sessionStream, sessionDecider);
