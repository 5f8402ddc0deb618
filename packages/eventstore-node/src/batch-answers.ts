import type { BatchError } from './batch-errors.ts';
import {
  batchAccessDenied,
  batchNotReady,
  batchStreamDeleted,
  batchTimeout,
  batchWrongExpectedVersion,
} from './batch-errors.ts';
import type { Request } from './group.ts';
import type { Reply } from './perform.ts';
import { backwards } from './protobuf-writer.ts';
import type { Uuid } from './stubs.ts';
import { shared, streams } from './stubs.ts';

/** The encoded answer to an append; undefined if it stays unanswered or the whole stream ends. */
export const answer = (id: Uuid, request: Request, reply: Reply): Buffer | undefined => {
  switch (reply.kind) {
    case 'written':
      return succeeded(id, request.stream, reply.revision, reply.position);
    case 'wrong-expected-version':
      return failed(id, request.stream, batchWrongExpectedVersion(request.expected, reply.actual));
    case 'stream-deleted':
      return failed(id, request.stream, batchStreamDeleted(request.stream));
    case 'timeout':
      return failed(id, request.stream, batchTimeout());
    case 'denied':
      return failed(id, request.stream, batchAccessDenied());
    case 'not-ready':
      return failed(id, request.stream, batchNotReady());
    case 'silence':
    case 'end':
    case 'not-leader':
      return undefined;
  }
};

/** The stream name is always set: the client reads it from errors without checking. */
export const failed = (id: Uuid, stream: string, error: BatchError): Buffer => {
  const response = new streams.BatchAppendResp()
    .setCorrelationId(id)
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setError(error);
  return Buffer.from(response.serializeBinary());
};

/** Field numbers and wire types of `BatchAppendResp` and its messages, as tag bytes. */
const tag = {
  correlationId: 0x0a,
  success: 0x1a,
  streamIdentifier: 0x22,
  streamName: 0x1a,
  currentRevision: 0x08,
  noStream: 0x12,
  position: 0x1a,
  noPosition: 0x22,
  commit: 0x08,
  prepare: 0x10,
} as const;

const nothing = new Uint8Array();

/** Encoded by hand, because nearly every append gets this answer. */
const succeeded = (id: Uuid, stream: string, revision: bigint, position: bigint | null): Buffer => {
  const out = backwards(3 * stream.length + 160);
  const name = out.place();
  out.text(tag.streamName, stream);
  out.message(tag.streamIdentifier, name);
  const success = out.place();
  if (position === null) out.bytes(tag.noPosition, nothing);
  else {
    out.number(tag.prepare, position);
    out.number(tag.commit, position);
    out.message(tag.position, success);
  }
  if (revision < 0n) out.bytes(tag.noStream, nothing);
  else out.number(tag.currentRevision, revision);
  out.message(tag.success, success);
  out.bytes(tag.correlationId, id.serializeBinary());
  return out.result();
};
