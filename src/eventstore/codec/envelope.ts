import { z } from 'zod';
import type { EventType } from '../../domain/events.ts';
import type { EventMetadata } from '../event-store.ts';

/**
 * The stored metadata of an event: `version`, that of its schema, and the audit facts. `maySkip` is read separately,
 * because it is needed only for events that this version does not know. Keys of other writers are ignored when reading.
 */
const envelope = z.object({
  version: z.int().min(1),
  actor: z.string().optional(),
  tokenId: z.string().optional(),
  reason: z.string().optional(),
  correlationId: z.string().optional(),
  causationId: z.string().optional(),
  traceparent: z.string().optional(),
});

export type Envelope = {
  readonly version: number;
  /** Whether a reader that does not know the event may continue without it; absent: it may not. */
  readonly maySkip?: true;
} & EventMetadata;

/** An event as written to the log: plain JSON, keys in the order of the schema. */
export type EncodedEvent = { readonly type: EventType; readonly data: object; readonly metadata: Envelope };

/** The stored form, with keys in a fixed order. */
export const wrap = (
  version: number,
  { actor, tokenId, reason, correlationId, causationId, traceparent }: EventMetadata,
  maySkip: boolean,
): Envelope => ({
  version,
  ...(actor !== undefined && { actor }),
  ...(tokenId !== undefined && { tokenId }),
  ...(reason !== undefined && { reason }),
  ...(correlationId !== undefined && { correlationId }),
  ...(causationId !== undefined && { causationId }),
  ...(traceparent !== undefined && { traceparent }),
  ...(maySkip && { maySkip }),
});

/** Whether stored metadata states that a reader which does not know the event may continue without it. */
export const statesMaySkip = (stored: unknown): boolean =>
  (stored as { readonly maySkip?: unknown } | null | undefined)?.maySkip === true;

/** The version that stored metadata state; undefined for events that no release has stored. */
export const statedVersion = (stored: unknown): unknown =>
  (stored as { readonly version?: unknown } | null | undefined)?.version;

/** @returns the version and the audit facts, or what is wrong with the stored metadata */
export const unwrap = (stored: unknown) => {
  const read = envelope.safeParse(stored);
  if (!read.success) return { error: read.error } as const;
  const { version, ...metadata } = read.data;
  return { version, metadata: metadata as EventMetadata } as const;
};
