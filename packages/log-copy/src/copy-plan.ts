import { isAfter, type Position, type RawEvent, type RawLog } from './raw-log.ts';

/** Why a log is not copied. Copied events stay, and the next run continues there. */
export type CopyRefusal =
  | 'log-empty'
  | 'not-carried'
  | 'same-log'
  | 'target-not-empty'
  | 'target-in-use'
  | 'source-grew'
  | 'copy-differs';

export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
  readonly code: CopyRefusal;
  constructor(code: CopyRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/** The part of a log that is copied. */
export type CopyPlan = {
  /** Without stream metadata. */
  readonly events: number;
  readonly streams: number;
  /** Streams with metadata; only the newest metadata counts. */
  readonly withMetadata: number;
  /** Deleted streams: events that the server still has of them are not copied. */
  readonly leftOut: number;
  /** The newest event of all. */
  readonly last: Position;
  readonly isCopied: (event: RawEvent) => boolean;
};

/** The stream of readiness's write test: it has no events, and belongs to the tested server. */
const probed = 'readiness-probe';

/** The stream that a metadata stream belongs to; null for every other stream. */
export const metadataOf = (stream: string): string | null =>
  stream.startsWith('$$') ? stream.slice(2) : null;

/** Whether the service wrote the event, in any log; not the event store itself. */
export const isOfService = ({ stream }: Pick<RawEvent, 'stream'>): boolean => {
  const about = metadataOf(stream) ?? stream;
  return about !== '' && !about.startsWith('$') && about !== probed;
};

/** The metadata of a deleted stream: truncated before the largest possible revision. */
const deletedBefore = /"\$tb"\s*:\s*9223372036854775807\b/;
const tombstone = '$streamDeleted';

/**
 * Reads the whole log once, so that its content is known before anything is written. Needs about 150 bytes of memory
 * for each stream.
 * @throws CopyRefused, what the log throws
 */
export const planCopy = async (
  source: Pick<RawLog, 'read'>,
  signal: AbortSignal,
  passed: (events: number) => void = () => undefined,
): Promise<CopyPlan> => {
  const next = new Map<string, number>();
  const begun = new Map<string, RawEvent>();
  const newestMetadata = new Map<string, RawEvent>();
  const deleted = new Set<string>();
  let [read, last]: [number, Position | null] = [0, null];
  for await (const event of source.read(null, signal)) {
    passed(++read);
    if (!isOfService(event)) continue;
    last = event.position;
    const about = metadataOf(event.stream);
    if (about !== null) newestMetadata.set(about, event);
    else if (event.type === tombstone) deleted.add(event.stream);
    else {
      const expected = next.get(event.stream) ?? 0;
      if (BigInt(expected) !== event.revision && !begun.has(event.stream)) begun.set(event.stream, event);
      next.set(event.stream, Number(event.revision) + 1);
    }
  }
  signal.throwIfAborted();
  for (const [stream, { data }] of newestMetadata)
    if (deletedBefore.test(Buffer.from(data).toString('utf8'))) deleted.add(stream);
  for (const [stream, event] of begun)
    if (!deleted.has(stream))
      throw new CopyRefused(
        'not-carried',
        `the events of the stream ${stream} before revision ${event.revision} were removed. A server does not accept later revisions without them: only streams that were deleted completely can be left out`,
      );
  if (last === null) throw new CopyRefused('log-empty', 'the log is empty: there is nothing to copy');
  for (const stream of deleted) next.delete(stream);
  for (const stream of deleted) newestMetadata.delete(stream);
  const events = [...next.values()].reduce((sum, count) => sum + count, 0);
  return {
    events,
    streams: next.size,
    withMetadata: newestMetadata.size,
    leftOut: deleted.size,
    last,
    isCopied: (event) => {
      if (!isOfService(event)) return false;
      const about = metadataOf(event.stream);
      return about === null ? !deleted.has(event.stream) : newestMetadata.get(about)?.id === event.id;
    },
  };
};

/** The events of a plan, in the order of the log. */
export async function* planned(
  source: Pick<RawLog, 'read'>,
  plan: CopyPlan,
  signal: AbortSignal,
): AsyncGenerator<RawEvent> {
  for await (const event of source.read(null, signal)) {
    if (isAfter(event.position, plan.last)) return;
    if (plan.isCopied(event)) yield event;
  }
}

/** The service's events in a target log. */
export async function* ofService(log: Pick<RawLog, 'read'>, signal: AbortSignal): AsyncGenerator<RawEvent> {
  for await (const event of log.read(null, signal)) if (isOfService(event)) yield event;
}

/**
 * How a copy differs from its original; null if it does not. The revision of stream metadata cannot be preserved, so it
 * is not compared.
 */
export const differenceOf = (original: RawEvent, copy: RawEvent): string | null => {
  if (original.stream !== copy.stream) return 'stream';
  if (original.id !== copy.id) return 'event id';
  if (metadataOf(original.stream) === null && original.revision !== copy.revision) return 'revision';
  if (original.type !== copy.type) return 'type';
  if (original.isJson !== copy.isJson) return 'content type';
  if (!Buffer.from(original.data).equals(copy.data)) return 'data';
  return Buffer.from(original.metadata).equals(copy.metadata) ? null : 'metadata';
};
