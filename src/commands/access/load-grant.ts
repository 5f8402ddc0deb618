import { fold } from '../../domain/kernel/decision.ts';
import { fenceRowsIn } from '../../domain/fence/fence-rows.ts';
import { tailStart } from '../../domain/access/grant-tail.ts';
import { type Grant, grantDecider, type GrantEvent } from '../../domain/access/grant.ts';
import type { GrantEnd } from '../../domain/access/grant-revoke.ts';
import type { StreamName } from '../../domain/streams.ts';
import {
  type EventStore,
  type ExpectedRevision,
  LogBehind,
  type RecordedEvent,
  type StreamPart,
} from '../../eventstore/event-store.ts';
import { grownFrom, type Known, knownFrom } from '../kernel/handle.ts';

type Reader = Pick<EventStore, 'readEnd' | 'readBack'>;

/**
 * What saves a read: the last known state of the grant, its first events, or its newest. The newest events may be older
 * than the first ones.
 */
export type GrantHints = {
  readonly known?: Known<Grant> | undefined;
  readonly first?: readonly RecordedEvent[] | undefined;
  readonly newest?: StreamPart | undefined;
};

/** The code, at most two failed proofs, and the redemption: the third failed proof ends the grant (TC-13). */
const headLength = 4;

/** The newest two rotations, and some of the events that may lie between and after them. */
const tailLength = 8;
const furtherPages = [64, 512, 4_096];

export const readNewest = (store: Pick<Reader, 'readBack'>, stream: StreamName): Promise<StreamPart> =>
  store.readBack(stream, 'end', tailLength);

export const readHead = (
  store: Pick<Reader, 'readEnd'>,
  stream: StreamName,
): Promise<readonly RecordedEvent[]> => store.readEnd(stream, 'first', headLength);

/**
 * A grant from the first and the newest events of its stream, however often it was refreshed (GR-01): two reads of a
 * few events, one if something is known already. It reads further back past many events that are no rotations.
 */
export const loadGrant = async (
  store: Reader,
  stream: StreamName,
  { known, first, newest }: GrantHints = {},
): Promise<Known<Grant>> => {
  const { revision, events: tail, further } = newest ?? (await readNewest(store, stream));
  if (known && isBehind(revision, known)) throw new LogBehind(`${stream} ends before ${known.revision}`);
  let events = tail;
  let next = further;
  const head = first?.filter((event) => revision !== 'no-stream' && event.revision <= revision);
  const loaded = (state: Grant): Known<Grant> => ({
    state,
    revision,
    position: tail.at(-1)?.position ?? null,
    fenced: fenceRowsIn(events),
  });
  for (let page = 0; next !== null; page += 1) {
    const grown = known && grownFrom(grantDecider, known, events);
    if (grown) return loaded(grown.state);
    const start = tailStart(events.map(eventOf));
    const from = start === null ? undefined : events[start];
    const base = from && ((known && liveIn(known)) ?? (await headOf(store, stream, from, head)));
    if (base && start !== null) return loaded(continued(base, events.slice(start)));
    const part = await store.readBack(stream, next, furtherPages[page] ?? Math.max(...furtherPages));
    events = [...part.events, ...events];
    next = part.further;
  }
  return loaded(knownFrom(grantDecider, events).state);
};

/** Only a grant whose code was not redeemed may be missing: retention removes it when the code has expired long ago. */
const isBehind = (revision: ExpectedRevision, known: Known<Grant>): boolean =>
  revision === 'no-stream'
    ? known.revision !== 'no-stream' && known.state.status !== 'code-issued'
    : known.revision !== 'no-stream' && revision < known.revision;

// A stream's category says which events it holds.
const eventOf = ({ event }: RecordedEvent): GrantEvent => event as GrantEvent;

const continued = (from: Grant, events: readonly RecordedEvent[]): Grant =>
  fold({ ...grantDecider, initial: from }, events.map(eventOf));

const liveIn = ({ state }: Known<Grant>): Grant | null => (state.status === 'live' ? state : null);

/** The grant before an event of its newest. Null if its code was not redeemed then: then the whole stream is read, which is short. */
const headOf = async (
  store: Reader,
  stream: StreamName,
  { revision: end }: RecordedEvent,
  first: readonly RecordedEvent[] | undefined,
): Promise<Grant | null> => {
  const head = (first ?? (await readHead(store, stream))).filter(({ revision }) => revision < end);
  const state = continued(grantDecider.initial, head);
  return state.status === 'none' || state.status === 'code-issued' ? null : state;
};

/** Whether a grant has ended, from its newest event: nothing follows a revocation. */
export const loadGrantEnd = async (store: Reader, stream: StreamName): Promise<Known<GrantEnd>> => {
  const { events, revision } = await store.readBack(stream, 'end', 1);
  const last = events.at(-1);
  const status = !last ? 'none' : last.event.type === 'GrantRevoked' ? 'revoked' : 'lasting';
  return {
    state: { status },
    revision,
    position: last?.position ?? null,
    fenced: fenceRowsIn(events),
  };
};
