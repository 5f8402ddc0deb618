import { createHash } from 'node:crypto';
import { z } from 'zod';

/**
 * The first input of every chain, so that no line of another format can continue one. Specified in
 * `docs/reference/audit-export.md`.
 */
export const exportFormat = 'grantbook-audit-export/1';

/** The longest line allowed, in bytes without its end; the event store accepts events of a quarter of it. */
export const maxLineBytes = 4 * 1024 * 1024;
/** The deepest nesting allowed, the line itself counted; ours need four. */
export const maxDepth = 100;

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
const whole = z.int().min(0);
const position = z.string().regex(/^(0|[1-9]\d{0,19})\/(0|[1-9]\d{0,19})$/);

const storedEvent = z.strictObject({
  id: z.string(),
  stream: z.string(),
  revision: z.string().regex(/^(0|[1-9]\d{0,19})$/),
  position,
  type: z.string(),
  data: z.unknown(),
  metadata: z.unknown(),
  created: z.int(),
});

/** What happened to the encrypted fields of an event in the export, and their values where a key could decrypt them. */
const opened = z.strictObject({
  personal: z.enum(['opened', 'erased', 'key lost', 'damaged']),
  fields: z.record(z.string(), z.unknown()),
});

export const exportLine = z.strictObject({
  chain: sha256Hex,
  event: storedEvent,
  leaf: sha256Hex,
  line: z.int().min(1),
  /**
   * The index of the event in the tree over the whole log, and the hashes over the events between it and the previous
   * line.
   */
  index: whole.optional(),
  gap: z.array(sha256Hex).optional(),
  opened: opened.optional(),
});
export type Opened = z.output<typeof opened>;

/** The last line. */
export const manifestLine = z.strictObject({ manifest: z.string() });

/** The signed content. Positions are inclusive. */
export const manifest = z.strictObject({
  format: z.literal(exportFormat),
  organization: z.string(),
  /** Null: from the beginning of the log. */
  from: position.nullable(),
  /** Null where the log was empty. */
  until: position.nullable(),
  events: whole,
  first: position.nullable(),
  last: position.nullable(),
  /** RFC 9162 §2.1.1, over the leaves of the lines. */
  root: sha256Hex,
  /** The chain of the last line with an event. */
  chain: sha256Hex,
  /** The log that the lines' indexes refer to, if they have them. */
  log: z
    .strictObject({
      size: z.int().min(1),
      root: sha256Hex,
      /** The hashes after the last line. */
      gap: z.array(sha256Hex),
      /** The head that was kept outside, and that the log has grown from. */
      head: z.strictObject({ size: z.int().min(1), root: sha256Hex, proof: z.array(sha256Hex) }),
    })
    .optional(),
  exportedBy: z.string(),
  exportedAt: z.iso.datetime(),
});
export type Manifest = z.output<typeof manifest>;

export const chainStart = createHash('sha256').update(exportFormat).digest();

/** @param body the line without its chain */
export const nextChain = (before: Buffer, body: string): Buffer =>
  createHash('sha256').update(before).update(body).digest();

/** `chain` sorts before all other members, so a line is its body with the chain in front. */
export const withChain = (chain: Buffer, body: string): string =>
  `{"chain":"${chain.toString('hex')}",${body.slice(1)}`;
export const withoutChain = (line: string): string => `{${line.slice(withChain(chainStart, '{').length)}`;
