import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import type { CallFault, TakeFault } from './faults.ts';
import type { Request } from './group.ts';
import type { Reply } from './perform.ts';
import { submit } from './perform.ts';
import { parseExpected, parseStream } from './proposals.ts';
import { isMetadataStream } from './record.ts';
import type { StatusError } from './status-errors.ts';
import {
  accessDenied,
  commitTimeout,
  ended,
  invalidArgument,
  notLeader,
  notReady,
  streamDeleted,
  thrown,
  wrongExpectedVersion,
} from './status-errors.ts';
import type { DeleteReq, DeleteResp, TombstoneReq, TombstoneResp } from './stubs.ts';
import { shared, streams } from './stubs.ts';
import type { Writer } from './writer.ts';

/** Soft delete and tombstone: the same call, except for what they write. */
export const makeRemovals = (writer: Pick<Writer, 'submit'>, take: TakeFault) => ({
  delete: (call: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>): void =>
    void remove(writer, take, 'delete', call.request.getOptions()).then((result) =>
      'code' in result ? answer(result) : answer(null, deleted(result.position)),
    ),
  tombstone: (
    call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
    answer: sendUnaryData<TombstoneResp>,
  ): void =>
    void remove(writer, take, 'tombstone', call.request.getOptions()).then((result) =>
      'code' in result ? answer(result) : answer(null, tombstoned(result.position)),
    ),
});

type Options = NonNullable<ReturnType<DeleteReq['getOptions'] | TombstoneReq['getOptions']>>;
type Removed = { readonly position: bigint | null };

const remove = async (
  writer: Pick<Writer, 'submit'>,
  take: TakeFault,
  kind: 'delete' | 'tombstone',
  options: Options | undefined,
): Promise<Removed | StatusError> => {
  const fault = callFault(take('remove'));
  if (fault) return fault === 'lost' ? new Promise(() => undefined) : fault;
  const stream = parseStream(options?.getStreamIdentifier()?.getStreamName_asU8());
  if (!options || stream === undefined || isMetadataStream(stream)) return thrown();
  const expected = parseExpected(options, options.hasRevision() ? options.getRevision() : undefined);
  if (expected === undefined) return invalidArgument('An expected revision is required');
  if (expected === null) return thrown();
  const request: Request = { kind, stream, expected, events: [] };
  return result(request, await submit(writer, request));
};

const result = (request: Request, reply: Reply): Removed | StatusError => {
  switch (reply.kind) {
    case 'written':
      return reply;
    case 'wrong-expected-version':
      return wrongExpectedVersion(request.stream, request.expected, reply.actual);
    case 'stream-deleted':
      return streamDeleted(request.stream);
    case 'timeout':
      return commitTimeout();
    case 'denied':
      return accessDenied();
    case 'not-ready':
    case 'not-leader':
    case 'end':
    case 'silence':
      return notReady();
  }
};

/** The status with which a fault ends a unary call; `lost` for no answer at all. */
export const callFault = (fault: CallFault | undefined): StatusError | 'lost' | undefined => {
  switch (fault?.kind) {
    case undefined:
      return undefined;
    case 'lost':
      return 'lost';
    case 'denied':
      return accessDenied();
    case 'not-ready':
      return notReady();
    case 'not-leader':
      return notLeader(fault.host, fault.port);
    case 'end':
      return ended(fault.status);
  }
};

const deleted = (position: bigint | null): DeleteResp => {
  const response = new streams.DeleteResp();
  if (position === null) return response.setNoPosition(new shared.Empty());
  const place = new streams.DeleteResp.Position();
  return response.setPosition(place.setCommitPosition(String(position)).setPreparePosition(String(position)));
};

const tombstoned = (position: bigint | null): TombstoneResp => {
  const response = new streams.TombstoneResp();
  if (position === null) return response.setNoPosition(new shared.Empty());
  const place = new streams.TombstoneResp.Position();
  return response.setPosition(place.setCommitPosition(String(position)).setPreparePosition(String(position)));
};
