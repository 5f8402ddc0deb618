import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The first thing in every chain, so that no line of another format continues one. `docs/audit-export.md` specifies it. */
export const exportFormat = 'grantbook-audit-export/1';

/** What no line is longer than, in bytes without its end; the event store takes events of a quarter of it. */
export const maxLineBytes = 4 * 1024 * 1024;
/** What no line is nested deeper than, itself counted; ours need four. */
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

/** What became of the encrypted fields of an event when it was exported, and what they say where a key still opened them. */
const opened = z.strictObject({
  personal: z.enum(['opened', 'erased', 'key lost', 'damaged']),
  fields: z.record(z.string(), z.unknown()),
});

export const exportLine = z.strictObject({
  chain: sha256Hex,
  event: storedEvent,
  leaf: sha256Hex,
  line: z.int().min(1),
  /** Where the event is in the tree over the whole log, and the hashes over what lies before it since the last line. */
  index: whole.optional(),
  gap: z.array(sha256Hex).optional(),
  opened: opened.optional(),
});
export type Opened = z.output<typeof opened>;

/** The last line. */
export const manifestLine = z.strictObject({ manifest: z.string() });

/** What the signature is over. Positions are inclusive. */
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
  /** Of the last line with an event. */
  chain: sha256Hex,
  /** Where the lines say where they are in the log: the log that they are in. */
  log: z
    .strictObject({
      size: z.int().min(1),
      root: sha256Hex,
      /** Behind the last line. */
      gap: z.array(sha256Hex),
      /** The head that was kept outside, and that the log has grown from it. */
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

/** `chain` is the first of the names in their order, so a line is its body with it in front. */
export const withChain = (chain: Buffer, body: string): string =>
  `{"chain":"${chain.toString('hex')}",${body.slice(1)}`;
export const withoutChain = (line: string): string => `{${line.slice(withChain(chainStart, '{').length)}`;
