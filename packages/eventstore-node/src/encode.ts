import type { Backwards } from './protobuf-writer.ts';
import { backwards } from './protobuf-writer.ts';
import type { Stored } from './record.ts';
import { shared, streams } from './stubs.ts';

/** An event as a read returns it: the event itself, or a link and its target, if that exists. */
export type Delivered = { readonly event: Stored | null; readonly link: Stored | null };

/**
 * Field numbers and wire types of `streams.proto`, as tag bytes. Events are encoded by hand: the generated classes are
 * several times slower during a catch-up.
 */
const tag = {
  respEvent: 0x0a,
  event: 0x0a,
  link: 0x12,
  eventCommitPosition: 0x18,
  id: 0x0a,
  streamIdentifier: 0x12,
  streamName: 0x1a,
  revision: 0x18,
  preparePosition: 0x20,
  commitPosition: 0x28,
  metadata: 0x32,
  customMetadata: 0x3a,
  data: 0x42,
  uuidStructured: 0x0a,
  uuidString: 0x12,
  most: 0x08,
  least: 0x10,
  mapKey: 0x0a,
  mapValue: 0x12,
} as const;

const entry = (key: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from([tag.mapKey, key.length]),
    Buffer.from(key),
    Buffer.from([tag.mapValue, value.length]),
    Buffer.from(value),
  ]);
const jsonContent = entry('content-type', 'application/json');
const binaryContent = entry('content-type', 'application/octet-stream');
const typeKey = Buffer.concat([Buffer.from([tag.mapKey, 4]), Buffer.from('type')]);
const createdKey = Buffer.concat([Buffer.from([tag.mapKey, 7]), Buffer.from('created')]);

const sizeBound = (event: Stored | null): number =>
  event ? event.data.length + event.metadata.length + 3 * (event.stream.length + event.type.length) + 320 : 0;

export const encodeEvent = ({ event, link }: Delivered, structuredIds: boolean): Buffer => {
  const original = link ?? event;
  const out = backwards(sizeBound(event) + sizeBound(link) + 64);
  const end = out.place();
  if (original) out.number(tag.eventCommitPosition, original.position);
  if (link) recorded(out, tag.link, link, structuredIds);
  if (event) recorded(out, tag.event, event, structuredIds);
  out.message(tag.respEvent, end);
  return out.result();
};

const recorded = (out: Backwards, field: number, event: Stored, structuredIds: boolean): void => {
  const end = out.place();
  if (event.data.length > 0) out.bytes(tag.data, event.data);
  if (event.metadata.length > 0) out.bytes(tag.customMetadata, event.metadata);
  out.bytes(tag.metadata, event.isJson ? jsonContent : binaryContent);
  mapEntry(out, createdKey, String(event.created));
  mapEntry(out, typeKey, event.type);
  out.number(tag.commitPosition, event.position);
  out.number(tag.preparePosition, event.position);
  out.number(tag.revision, event.revision);
  const stream = out.place();
  out.text(tag.streamName, event.stream);
  out.message(tag.streamIdentifier, stream);
  const id = out.place();
  if (structuredIds) structuredId(out, event.id);
  else out.text(tag.uuidString, event.id);
  out.message(tag.id, id);
  out.message(field, end);
};

const mapEntry = (out: Backwards, key: Buffer, value: string): void => {
  const end = out.place();
  out.text(tag.mapValue, value);
  out.raw(key);
  out.message(tag.metadata, end);
};

/** Two int64 values, which the wire encodes as unsigned ones. */
const structuredId = (out: Backwards, id: string): void => {
  const hex = id.replaceAll('-', '');
  const end = out.place();
  out.number(tag.least, BigInt(`0x${hex.slice(16)}`));
  out.number(tag.most, BigInt(`0x${hex.slice(0, 16)}`));
  out.message(tag.uuidStructured, end);
};

const encoded = (build: (response: InstanceType<typeof streams.ReadResp>) => void): Buffer => {
  const response = new streams.ReadResp();
  build(response);
  return Buffer.from(response.serializeBinary());
};

export const encodeConfirmation = (id: string): Buffer =>
  encoded((response) =>
    response.setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id)),
  );

export const encodeCheckpoint = (commit: bigint, prepare: bigint): Buffer =>
  encoded((response) =>
    response.setCheckpoint(
      new streams.ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare)),
    ),
  );

export const encodeNotFound = (stream: string): Buffer =>
  encoded((response) =>
    response.setStreamNotFound(
      new streams.ReadResp.StreamNotFound().setStreamIdentifier(
        new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
      ),
    ),
  );

export const encodeCaughtUp = encoded((response) => response.setCaughtUp(new streams.ReadResp.CaughtUp()));
export const encodeLastStreamPosition = (revision: bigint): Buffer =>
  encoded((response) => response.setLastStreamPosition(String(revision)));
export const encodeFirstStreamPosition = (revision: bigint): Buffer =>
  encoded((response) => response.setFirstStreamPosition(String(revision)));
