import type { Proposed } from './record.ts';
import { expectAny, expectNoStream, expectStreamExists, noPosition } from './record.ts';
import type { StatusError } from './status-errors.ts';
import { eventTooLarge, missingProperty, thrown, tooLarge } from './status-errors.ts';
import type { Uuid } from './stubs.ts';

export type SizeLimits = {
  /** Maximum bytes of all events of one append; by default 1 MiB, like the real server up to 25.0. */
  readonly maxAppendSize: number;
  /** Maximum bytes of one event; off by default. */
  readonly maxAppendEventSize?: number;
};

/** A proposed message, common to both append calls. */
export type Message = {
  getId(): Uuid | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getCustomMetadata_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
};

/** Why an append is refused before it reaches the writer: the error of Append, and the kind of batch error. */
export type Refused = {
  readonly kind: 'bad-request' | 'too-large' | 'event-too-large';
  readonly error: StatusError;
};

const badRequest = (error: StatusError): Refused => ({ kind: 'bad-request', error });
export const isRefused = (value: object): value is Refused => 'error' in value;

/** Collects the events of one append and validates them. */
export const makeProposals = ({ maxAppendSize, maxAppendEventSize }: SizeLimits) => {
  const events: Proposed[] = [];
  let size = 0;
  return {
    events,
    /** The reason to refuse the whole append, or undefined. */
    add: (message: Message): Refused | undefined => {
      const event = propose(message);
      if (isRefused(event)) return event;
      const own = sizeOf(event);
      if (maxAppendEventSize !== undefined && own > maxAppendEventSize)
        return { kind: 'event-too-large', error: eventTooLarge(maxAppendEventSize, event.id, own) };
      size += own;
      if (size > maxAppendSize) return { kind: 'too-large', error: tooLarge(maxAppendSize) };
      events.push(event);
      return undefined;
    },
  };
};

/** Counted like 24.10.4: data, metadata, and the type in UTF-16. */
const sizeOf = ({ data, metadata, type }: Proposed): number =>
  data.length + metadata.length + 2 * type.length;

const propose = (message: Message): Proposed | Refused => {
  const keys = message.getMetadataMap();
  const type = keys.get('type');
  const contentType = keys.get('content-type');
  if (type === undefined) return badRequest(missingProperty('type'));
  if (contentType === undefined) return badRequest(missingProperty('content-type'));
  const id = message.getId();
  const parsed = id && parseUuid(id);
  // Postgres text cannot contain NUL; the real server accepts it.
  if (type === '' || type.includes('\0') || !parsed) return badRequest(thrown());
  return {
    id: parsed,
    type,
    isJson: contentType === 'application/json',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const nil = '00000000-0000-0000-0000-000000000000';

/** Lower case with dashes; undefined for an invalid or all-zero UUID. */
export const parseUuid = (id: Uuid): string | undefined => {
  const structured = id.getStructured();
  const text = structured
    ? fromHalves(structured.getMostSignificantBits(), structured.getLeastSignificantBits())
    : id.getString().toLowerCase();
  return uuid.test(text) && text !== nil ? text : undefined;
};

const fromHalves = (most: string, least: string): string => {
  const hex = [most, least].map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'));
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/**
 * In characters. B-tree keys in Postgres are limited; the real server accepts longer names and can be crashed by them.
 */
const longestName = 2000;

/** The stream's name; undefined for names that no call accepts; `$$` crashes a real server. */
export const parseStream = (bytes: Uint8Array | undefined): string | undefined => {
  if (!bytes || bytes.length === 0 || bytes.length > longestName) return undefined;
  const name = Buffer.from(bytes).toString('utf8');
  return name === '$$' || name.includes('\0') ? undefined : name;
};

type Expectation = {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
};

/** `exact` is the revision if the oneof contains one. Undefined: the oneof is not set; null: not a valid revision. */
export const parseExpected = (options: Expectation, exact: string | undefined): bigint | null | undefined => {
  if (options.hasNoStream()) return expectNoStream;
  if (options.hasAny()) return expectAny;
  if (options.hasStreamExists()) return expectStreamExists;
  if (exact === undefined) return undefined;
  const revision = BigInt(exact);
  if (revision === noPosition) return expectNoStream;
  return revision > 0x7fff_ffff_ffff_ffffn ? null : revision;
};
