import { z } from 'zod';
import type { EventMetadata } from '../event-store.ts';

/**
 * The stored metadata of an event: `v`, the version of its schema, and the audit facts. `maySkip` is read separately,
 * because it is needed only for events that this version does not know. Keys of other writers are ignored when reading.
 */
const envelope = z.object({
  v: z.int().min(1),
  actor: z.string().optional(),
  tokenId: z.string().optional(),
  reason: z.string().optional(),
  correlationId: z.string().optional(),
  causationId: z.string().optional(),
  traceparent: z.string().optional(),
  added: z.record(z.string(), z.unknown()).optional(),
});

/** Fields of an event's data that were added after its version: see added-fields.ts. */
export type AddedFields = Readonly<Record<string, unknown>>;

export type Envelope = {
  readonly v: number;
  readonly added?: AddedFields;
  /** Whether a reader that does not know the event may continue without it; absent: it may not. */
  readonly maySkip?: true;
} & EventMetadata;

/** The stored form, with keys in a fixed order. */
export const wrap = (
  version: number,
  { actor, tokenId, reason, correlationId, causationId, traceparent }: EventMetadata,
  { added = null, maySkip = false }: { readonly added?: AddedFields | null; readonly maySkip?: boolean } = {},
): Envelope => ({
  v: version,
  ...(actor !== undefined && { actor }),
  ...(tokenId !== undefined && { tokenId }),
  ...(reason !== undefined && { reason }),
  ...(correlationId !== undefined && { correlationId }),
  ...(causationId !== undefined && { causationId }),
  ...(traceparent !== undefined && { traceparent }),
  ...(added !== null && { added }),
  ...(maySkip && { maySkip }),
});

/** Whether stored metadata states that a reader which does not know the event may continue without it. */
export const statesMaySkip = (stored: unknown): boolean =>
  (stored as { readonly maySkip?: unknown } | null | undefined)?.maySkip === true;

/** @returns the version, the audit facts and the added fields, or what is wrong with the stored metadata */
export const unwrap = (stored: unknown) => {
  const read = envelope.safeParse(stored);
  if (!read.success) return { error: read.error } as const;
  const { v, added = {}, ...metadata } = read.data;
  return { version: v, metadata: metadata as EventMetadata, added: added as AddedFields } as const;
};
