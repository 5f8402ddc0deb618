import { z } from 'zod';
import type { EventMetadata } from './event-store.ts';

/**
 * The stored metadata of an event: `v`, the version of its schema, and the audit facts. Keys of other writers are
 * ignored when reading.
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

export type Envelope = { readonly v: number; readonly added?: AddedFields } & EventMetadata;

/** The stored form, with keys in a fixed order. */
export const wrap = (
  version: number,
  { actor, tokenId, reason, correlationId, causationId, traceparent }: EventMetadata,
  added: AddedFields | null = null,
): Envelope => ({
  v: version,
  ...(actor !== undefined && { actor }),
  ...(tokenId !== undefined && { tokenId }),
  ...(reason !== undefined && { reason }),
  ...(correlationId !== undefined && { correlationId }),
  ...(causationId !== undefined && { causationId }),
  ...(traceparent !== undefined && { traceparent }),
  ...(added !== null && { added }),
});

/** @returns the version, the audit facts and the added fields, or what is wrong with the stored metadata */
export const unwrap = (stored: unknown) => {
  const read = envelope.safeParse(stored);
  if (!read.success) return { error: read.error } as const;
  const { v, added = {}, ...metadata } = read.data;
  return { version: v, metadata: metadata as EventMetadata, added: added as AddedFields } as const;
};
