import { type Grant, grantDecider, type GrantEvent, type GrantTerms } from '../../domain/access/grant.ts';
import { grantStream } from '../../domain/streams.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { Address } from '../credentials/credentials.ts';
import type { GrantDependencies } from './grant-cache.ts';
import { type Known, knownFrom } from '../kernel/handle.ts';
import { loadGrant, readHead, readNewest } from './load-grant.ts';
import { provenBy, refuteByGrant } from '../log/proven-log.ts';

/** Why a caller may not use a grant, and the event that records it. */
export type CallerRefusal<R extends string> = { readonly refusal: R; readonly event: GrantEvent };

type Opening<R extends string> = {
  readonly context: CommandContext | undefined;
  readonly grantId: string;
  readonly addonId: string;
  /** Judged by what never changes; null when the caller may use the grant. */
  readonly callerRefusalOf: (terms: GrantTerms) => CallerRefusal<R> | null;
  /** Whether the presented credential shows that the stream is probably longer than `firstPage`. */
  readonly isLikelyLong: boolean;
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
 * Loads a grant for a caller that presents one of its credentials. A foreign caller is refused after a few events,
 * however often the grant was refreshed (GR-02). A short stream is read whole at once and decided on as usual. The
 * newest events of a probably long one are read at the same time, so that it takes no longer than a short one (GR-01).
 */
export const openGrant = async <R extends string>(
  { store, cache }: Pick<Dependencies, 'store' | 'cache'>,
  { context, grantId, addonId, callerRefusalOf, isLikelyLong }: Opening<R>,
): Promise<{ readonly known: Known<Grant> } | { readonly refusal: R | 'grant-revoked' }> => {
  const stream = grantStream(grantId);
  const cached = cache.get(grantId);
  if (cached && 'terms' in cached.state && callerRefusalOf(cached.state.terms) === null)
    return { known: cached };
  const [head, newest] = isLikelyLong
    ? await Promise.all([readHead(store, stream), readNewest(store, stream)])
    : [[], undefined];
  const own = termsIn(head);
  if (own && callerRefusalOf(own) === null)
    return { known: await loadGrant(store, stream, { first: head, newest }) };
  const first = await store.readEnd(stream, 'first', firstPage);
  if (first.length < firstPage) return { known: knownFrom(grantDecider, first) };
  const terms = termsIn(first);
  const callerRefusal = terms && callerRefusalOf(terms);
  if (!callerRefusal) return { known: await loadGrant(store, stream, { first, newest }) };
  const last = (newest?.events ?? (await store.readEnd(stream, 'last', 1))).at(-1);
  if (last?.event.type === 'GrantRevoked') return { refusal: 'grant-revoked' };
  if (last && isRemembered(first, last))
    // If another writer appends at this moment, the refusal is not recorded.
    await store.append(stream, last.revision, [
      { event: callerRefusal.event, metadata: { ...context, actor: `addon:${addonId}` } },
    ]);
  return { refusal: callerRefusal.refusal };
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
