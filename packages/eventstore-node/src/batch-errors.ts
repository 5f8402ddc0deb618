import { status as codes } from '@grpc/grpc-js';
import type { Message } from 'google-protobuf';
import type { Refused } from './proposals.ts';
import { expectAny, expectNoStream, expectStreamExists } from './record.ts';
import { Any, Empty, shared, status } from './stubs.ts';

/** BatchAppend reports failures inside its answers; the client reads only the type name of the details. */
export type BatchError = InstanceType<typeof status.Status>;

const batchError = (code: number, name: string, details: Message, message = name): BatchError => {
  const packed = new Any();
  const fullName = name === 'Empty' ? 'google.protobuf.Empty' : `event_store.client.${name}`;
  packed.pack(details.serializeBinary(), fullName);
  return new status.Status().setCode(code).setMessage(message).setDetails(packed);
};

export const batchTimeout = (): BatchError =>
  batchError(codes.DEADLINE_EXCEEDED, 'Timeout', new shared.Timeout());

export const batchAccessDenied = (): BatchError =>
  batchError(codes.PERMISSION_DENIED, 'AccessDenied', new Empty());

export const batchNotReady = (): BatchError =>
  batchError(codes.UNAVAILABLE, 'Empty', new Empty(), 'Server Is Not Ready');

export const batchStreamDeleted = (stream: string): BatchError =>
  batchError(
    codes.NOT_FOUND,
    'StreamDeleted',
    new shared.StreamDeleted().setStreamIdentifier(
      new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
    ),
  );

export const batchWrongExpectedVersion = (expected: bigint, actual: bigint): BatchError => {
  const details = new shared.WrongExpectedVersion();
  if (actual < 0n) details.setCurrentNoStream(new Empty());
  else details.setCurrentStreamRevision(String(actual));
  if (expected === expectAny) details.setExpectedAny(new Empty());
  else if (expected === expectNoStream) details.setExpectedNoStream(new Empty());
  else if (expected === expectStreamExists) details.setExpectedStreamExists(new Empty());
  else details.setExpectedStreamPosition(String(expected));
  return batchError(codes.ALREADY_EXISTS, 'WrongExpectedVersion', details);
};

export const batchRefused = ({ kind, error }: Refused, maxAppendSize: number): BatchError => {
  switch (kind) {
    case 'too-large':
      return batchError(
        codes.INVALID_ARGUMENT,
        'MaximumAppendSizeExceeded',
        new shared.MaximumAppendSizeExceeded().setMaxappendsize(maxAppendSize),
      );
    case 'event-too-large':
      return batchError(codes.INVALID_ARGUMENT, 'MaximumAppendEventSizeExceeded', new Empty());
    case 'bad-request':
      return batchError(
        codes.INVALID_ARGUMENT,
        'BadRequest',
        new shared.BadRequest().setMessage(error.details),
      );
  }
};
