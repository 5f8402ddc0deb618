import {
  AccessDeniedError,
  InvalidTransactionError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  RequiredMetadataPropertyMissingError,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { EventStoreUnavailable, type ExpectedRevision, InvalidAppend, RightMissing } from '../event-store.ts';
import { type Right } from '../server/rights-of-account.ts';

/** The meaning of an error of one append attempt. */
export type AppendFailure =
  | { readonly kind: 'conflict'; readonly actual: ExpectedRevision }
  /** The server refused, and will refuse again. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The append may have been written. `streamFailed`: the error is not about this append; the stream that all appends share broke. */
  | { readonly kind: 'unknown'; readonly streamFailed: boolean };

/** Classifies the error of an append by class and code: errors of batch appends have neither message nor code. */
export const readAppendError = (
  stream: string,
  error: unknown,
  expected: ExpectedRevision | 'any',
): AppendFailure => {
  if (error instanceof WrongExpectedVersionError)
    return { kind: 'conflict', actual: toExpected(error.actualVersion) };
  // Retention removed the stream after it was read: a new read decides on an empty stream.
  if (error instanceof StreamDeletedError && typeof expected === 'bigint')
    return { kind: 'conflict', actual: 'no-stream' };
  if (error instanceof StreamDeletedError)
    return refused(new Error(`the stream ${stream} was permanently deleted`, { cause: error }));
  if (statusOf(error) !== undefined)
    return refused(refusedAccess(isMetadata(stream) ? 'write-metadata' : 'append', error));
  if (error instanceof MaxAppendSizeExceededError)
    return refused(
      new InvalidAppend(`${stream}: the event store accepts at most ${error.maxAppendSize} bytes per append`),
    );
  if (error instanceof RequiredMetadataPropertyMissingError || error instanceof InvalidTransactionError)
    return refused(new InvalidAppend(`${stream}: the event store refused the append`, { cause: error }));
  // For a not-leader error, the client itself switches to the leader that it names.
  // `cancelled` means that we cancelled one stream of this process; the client reports it to all pending appends,
  // although other streams are healthy.
  const code = codeOf(error);
  const streamFailed = !(error instanceof NotLeaderError) && code !== undefined && code !== cancelled;
  return { kind: 'unknown', streamFailed };
};

/** A gRPC status. */
const cancelled = 1;

/** The meaning of an error of one read attempt. */
export const readReadError = (error: unknown): 'no-stream' | 'removed' | 'refused' | 'again' => {
  // A soft-deleted stream is "not found", a tombstoned one is "deleted": neither has anything to read.
  if (error instanceof StreamNotFoundError) return 'no-stream';
  if (error instanceof StreamDeletedError) return 'removed';
  return statusOf(error) === undefined ? 'again' : 'refused';
};

/** The gRPC statuses for an unknown user, and for a missing right. */
export const unauthenticated = 16;
export const permissionDenied = 7;

/**
 * The status of denied access, from the error or its cause; undefined for other errors. An answer on the append stream
 * has a class, but no code.
 */
export const statusOf = (error: unknown): typeof unauthenticated | typeof permissionDenied | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    if (code === unauthenticated || code === permissionDenied) return code;
    if (at instanceof AccessDeniedError) return permissionDenied;
  }
  return undefined;
};

/** For a call with one of these statuses that needs `right`. */
export const refusedAccess = (right: Right, cause: unknown): EventStoreUnavailable =>
  statusOf(cause) === permissionDenied
    ? new RightMissing(right, { cause })
    : new EventStoreUnavailable('the event store refuses the user or the password of EVENTSTORE_URL', {
        cause,
      });

const isMetadata = (stream: string): boolean => stream.startsWith('$$');

export const rightToRead = (what: string): Right => {
  if (what === '$all') return 'read-all';
  return isMetadata(what) ? 'read-metadata' : 'read';
};

const invalidArgument = 3;

/** Whether a subscription ended because no event begins at its start position. */
export const isInvalidPosition = (error: unknown): boolean =>
  codeOf(error) === invalidArgument && /invalid position/i.test((error as Error).message);

const unknown = 2;

/** Whether a read of the log failed because no event begins at its position. */
export const isNoBeginning = (error: unknown): boolean =>
  codeOf(error) === unknown || isInvalidPosition(error);

/** OpenSSL's words for a certificate whose authority is not among the known ones. */
const distrust = /unable to (verify the first|get (local )?issuer) certificate|self[- ]signed certificate/;

/** For messages: class, gRPC code and message, where present. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'not an error';
  const code = codeOf(error);
  const name = error.name === 'Error' ? error.constructor.name : error.name;
  const trust = distrust.test(error.message) ? 'certificate of an unknown authority:' : '';
  return [name, code === undefined ? '' : `(code ${code})`, trust, error.message].filter(Boolean).join(' ');
};

const refused = (error: Error): AppendFailure => ({ kind: 'refused', error });

/** A gRPC status, or the code of a Node error. */
export const codeOf = (error: unknown): number | string | undefined =>
  error instanceof Error ? (error as Error & { readonly code?: number | string }).code : undefined;

const toExpected = (actual: unknown): ExpectedRevision =>
  typeof actual === 'bigint' && actual >= 0n ? actual : 'no-stream';
