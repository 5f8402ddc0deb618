import { type Grant, grantDecider, type GrantEvent, type GrantTerms } from '../../domain/access/grant.ts';
import { grantStream, type StreamName } from '../../domain/streams.ts';
import type { EventMetadata, EventStore, RecordedEvent, StreamPart } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { Address } from '../credentials/credentials.ts';
import type { GrantDependencies } from './dependencies.ts';
import { type Known, knownFrom } from '../kernel/handle.ts';
import { loadGrant, readHead, readNewest } from './load-grant.ts';
import { provenBy, refuteByGrant } from '../log/proven-log.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';

/** Why a caller may not use a grant, judged by its terms, and the event that records it. */
type CallerRefusal<R extends string> = { readonly refusal: R; readonly event: GrantEvent };

/** In which request, and by whom, something is appended. */
export type By = { readonly context: CommandContext | undefined; readonly metadata: EventMetadata };

/** What was read of a grant to find out whether a caller may use it. */
type OpenedGrant = {
  readonly stream: StreamName;
  /** They never change; null for a grant that does not exist. */
  readonly terms: GrantTerms | null;
  /** The whole grant, where it is cached or its stream is short. */
  readonly known?: Known<Grant> | undefined;
  /** A few of the first events, or `firstPage` of them. */
  readonly head?: readonly RecordedEvent[];
  readonly page?: readonly RecordedEvent[];
  readonly newest?: StreamPart | undefined;
};

type Dependencies = Pick<GrantDependencies, 'store' | 'cache' | 'now' | 'knownGrants'>;

/**
 * How many events are read to find out whether the caller may use the grant. A grant whose code was not exchanged has
 * no more.
 */
const firstPage = 16;

/** Whether a grant with this many rotations has at least `firstPage` events: two events come before the first rotation. */
export const isBeyondFirstPage = (rotations: number): boolean => rotations + 2 >= firstPage;

/**
 * How many refusals of foreign callers are recorded at the beginning of a stream; later, one between two other events
 * (RT-12).
 */
const rejectionsRemembered = 10;

/**
 * Finds the terms of a grant, by which a caller is judged: in the cache, or in its first events. A short stream is read
 * whole at once. The newest events of a probably long one are read at the same time, so that it takes no longer than a
 * short one (GR-01).
 * @param isLikelyLong whether the presented credential shows that the stream is probably longer than `firstPage`
 */
export const openGrant = async (
  { store, cache }: Pick<Dependencies, 'store' | 'cache'>,
  grantId: string,
  isLikelyLong: boolean,
): Promise<OpenedGrant> => {
  const stream = grantStream(grantId);
  const cached = cache.get(grantId);
  if (cached && 'terms' in cached.state) return { stream, terms: cached.state.terms, known: cached };
  const [head, newest] = isLikelyLong
    ? await Promise.all([readHead(store, stream), readNewest(store, stream)])
    : [[], undefined];
  const terms = termsIn(head);
  if (terms) return { stream, terms, head, newest };
  const page = await store.readEnd(stream, 'first', firstPage);
  const known = page.length < firstPage ? knownFrom(grantDecider, page) : undefined;
  return { stream, terms: termsIn(page), known, page, newest };
};

/**
 * Loads the rest of a grant for the caller. A foreign one is refused after a few events, however often the grant was
 * refreshed (GR-02); on a short stream it is decided on as usual.
 */
export const loadOpened = async <R extends string>(
  store: EventStore,
  { stream, known, head, page, newest }: OpenedGrant,
  foreign: CallerRefusal<R> | null,
  { context, metadata }: By,
): Promise<Known<Grant> | { readonly refused: R | 'grant-revoked' }> => {
  if (!foreign) return known ?? loadGrant(store, stream, { first: page ?? head, newest });
  const first = page ?? (await store.readEnd(stream, 'first', firstPage));
  if (first.length < firstPage) return knownFrom(grantDecider, first);
  const recorded = { event: foreign.event, metadata: { ...context, ...metadata } };
  return retryUnknownOutcome(async (attempt) => {
    const { events, revision } =
      attempt === 'first' && newest ? newest : await store.readBack(stream, 'end', 1);
    const last = events.at(-1);
    if (last?.event.type === 'GrantRevoked') return { refused: 'grant-revoked' };
    // If another writer appends at this moment, the refusal is not recorded.
    if (last && isRemembered(first, last)) await store.append(stream, revision, [recorded]);
    return { refused: foreign.refusal };
  });
};

/** What never changes about a grant; and its first events, if they were read for that. */
export type OpenedTerms = { readonly terms: GrantTerms; readonly first?: readonly RecordedEvent[] };

/**
 * The terms of the grant of a token of ours, from the cache or from its first events; null for an expired token whose
 * grant nobody knows. @throws LogBehind
 */
export const readTerms = async (
  dependencies: Dependencies,
  token: Pick<Address, 'grantId' | 'rotation' | 'expiresAt'>,
): Promise<OpenedTerms | null> => {
  const { store, cache } = dependencies;
  const { grantId } = token;
  const known = cache.get(grantId)?.state;
  if (known && 'terms' in known) return { terms: known.terms };
  const first = await readHead(store, grantStream(grantId));
  const terms = termsIn(first);
  if (!terms) await refuteByGrant(dependencies, token, grantDecider.initial, provenBy(token));
  return terms && { terms, first };
};

const termsIn = ([first]: readonly RecordedEvent[]): GrantTerms | null =>
  first?.event.type === 'AuthorizationCodeIssued' ? first.event.data : null;

const isRejection = ({ event: { type } }: RecordedEvent): boolean =>
  type === 'RefreshRejected' || type === 'CodeExchangeRejected';

const isRemembered = (first: readonly RecordedEvent[], last: RecordedEvent): boolean =>
  first.filter(isRejection).length < rejectionsRemembered && !isRejection(last);
