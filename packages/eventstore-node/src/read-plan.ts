import type { Filter } from './filter.ts';
import { parseFilter } from './filter.ts';
import { parseStream } from './proposals.ts';
import { endOfTime, noPosition } from './record.ts';
import type { StatusError } from './status-errors.ts';
import { invalidArgument, readFailed, thrown } from './status-errors.ts';
import type { ReadOptions, ReadReq } from './stubs.ts';
import { streams } from './stubs.ts';

/** A valid Read call. */
export type ReadPlan = {
  readonly structuredIds: boolean;
  readonly resolveLinks: boolean;
  /** Whether the caller supports separate messages with the first and last revision. */
  readonly tellsBounds: boolean;
} & (StreamRead | StreamSubscription | AllRead | AllSubscription);

export type Bound = 'start' | 'end' | bigint;
export type AllBound = 'start' | 'end' | { readonly commit: bigint; readonly prepare: bigint };

export type StreamRead = {
  readonly kind: 'read-stream';
  readonly stream: string;
  readonly from: Bound;
  readonly backwards: boolean;
  readonly count: bigint;
};
export type StreamSubscription = {
  readonly kind: 'subscribe-stream';
  readonly stream: string;
  readonly from: Bound;
};
export type AllRead = {
  readonly kind: 'read-all';
  readonly from: AllBound;
  readonly backwards: boolean;
  readonly count: bigint;
  readonly filter: Filter | null;
};
export type AllSubscription = {
  readonly kind: 'subscribe-all';
  readonly from: AllBound;
  readonly filter: Filter | null;
};

export const isPlan = (value: ReadPlan | StatusError): value is ReadPlan => 'kind' in value;

export const planRead = (request: ReadReq): ReadPlan | StatusError => {
  const options = request.getOptions();
  if (!options) return thrown();
  const invalid = invalidCombination(options);
  if (invalid) return invalid;
  const shared = {
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
    resolveLinks: options.getResolveLinks(),
    tellsBounds: (options.getControlOption()?.getCompatibility() ?? 0) >= 1,
  };
  const plan = options.hasStream() ? planStream(options) : planAll(options);
  return 'code' in plan ? plan : { ...shared, ...plan };
};

const isBackwards = (options: ReadOptions): boolean =>
  options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;

const invalidCombination = (options: ReadOptions): StatusError | undefined => {
  if (!options.hasStream() && !options.hasAll()) return invalidArgument('A stream option is required');
  if (!options.hasCount() && !options.hasSubscription()) return invalidArgument('A count option is required');
  if (!options.hasFilter() && !options.hasNoFilter()) return invalidArgument('A filter option is required');
  if (options.hasStream() && options.hasFilter()) return invalidArgument('A stream cannot be filtered');
  if (options.hasSubscription() && isBackwards(options))
    return invalidArgument('A subscription reads forwards');
  const ids = options.getUuidOption();
  return ids?.hasString() || ids?.hasStructured() ? undefined : invalidArgument('A UUID option is required');
};

const planStream = (options: ReadOptions): StreamRead | StreamSubscription | StatusError => {
  const asked = options.getStream();
  const stream = parseStream(asked?.getStreamIdentifier()?.getStreamName_asU8());
  const from = asked?.hasStart() ? 'start' : asked?.hasEnd() ? 'end' : revision(asked);
  if (stream === undefined || from === undefined) return thrown();
  if (options.hasSubscription()) return { kind: 'subscribe-stream', stream, from };
  const backwards = isBackwards(options);
  const count = BigInt(options.getCount());
  if (count === 0n || (from === 'end' && !backwards)) return readFailed();
  return { kind: 'read-stream', stream, from, backwards, count };
};

const revision = (asked: ReturnType<ReadOptions['getStream']>): Bound | undefined => {
  if (!asked?.hasRevision()) return undefined;
  const number = BigInt(asked.getRevision());
  if (number === noPosition) return 'end';
  return number > endOfTime ? undefined : number;
};

const planAll = (options: ReadOptions): AllRead | AllSubscription | StatusError => {
  const from = position(options);
  const filterOptions = options.getFilter();
  if (filterOptions?.hasMax() && filterOptions.getMax() === 0)
    return invalidArgument('The window must not be 0');
  const filter = filterOptions ? parseFilter(filterOptions, options.hasSubscription()) : null;
  if (from === undefined || filter === undefined) return thrown();
  if (options.hasSubscription()) return { kind: 'subscribe-all', from, filter };
  const count = BigInt(options.getCount());
  // A real server loops forever here.
  if (count === 0n) return invalidArgument('The count must not be 0');
  return { kind: 'read-all', from, backwards: isBackwards(options), count, filter };
};

const position = (options: ReadOptions): AllBound | undefined => {
  const asked = options.getAll();
  if (asked?.hasStart()) return 'start';
  if (asked?.hasEnd()) return 'end';
  const place = asked?.getPosition();
  if (!place) return undefined;
  const commit = BigInt(place.getCommitPosition());
  const prepare = BigInt(place.getPreparePosition());
  if (commit === noPosition && prepare === noPosition) return 'end';
  return commit < prepare || commit > endOfTime ? undefined : { commit, prepare };
};
