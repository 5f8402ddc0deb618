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
import { EventStoreUnavailable, type ExpectedRevision, InvalidAppend } from './event-store.ts';

/** What an error of one attempt to append means. */
export type AppendFailure =
  | { readonly kind: 'conflict'; readonly actual: ExpectedRevision }
  /** The server said no, and will again. */
  | { readonly kind: 'refused'; readonly error: Error }
  /**
   * It may be written. `streamFailed`: the answer was not for this append, the stream that all appends share broke.
   */
  | { readonly kind: 'unknown'; readonly streamFailed: boolean };

/** Names what came of an append by class and code: errors of batch appends have neither message nor code. */
export const readAppendError = (
  stream: string,
  error: unknown,
  expected: ExpectedRevision | 'any',
): AppendFailure => {
  if (error instanceof WrongExpectedVersionError)
    return { kind: 'conflict', actual: toExpected(error.actualVersion) };
  // Retention removed it since it was read: whoever reads it again decides on an empty stream.
  if (error instanceof StreamDeletedError && typeof expected === 'bigint')
    return { kind: 'conflict', actual: 'no-stream' };
  if (error instanceof StreamDeletedError)
    return refused(new Error(`the stream ${stream} was deleted for good`, { cause: error }));
  if (statusOf(error) !== undefined)
    return refused(new EventStoreUnavailable('the event store denied access', { cause: error }));
  if (error instanceof MaxAppendSizeExceededError)
    return refused(
      new InvalidAppend(`${stream}: the event store takes ${error.maxAppendSize} bytes at once`),
    );
  if (error instanceof RequiredMetadataPropertyMissingError || error instanceof InvalidTransactionError)
    return refused(new InvalidAppend(`${stream}: the event store refused the append`, { cause: error }));
  // The client itself turns to the leader that this error names.
  // Cancelled is a stream of this process, by us; the client tells all others of it, too, and theirs are well.
  const code = codeOf(error);
  const streamFailed = !(error instanceof NotLeaderError) && code !== undefined && code !== cancelled;
  return { kind: 'unknown', streamFailed };
};

/** gRPC's status. */
const cancelled = 1;

/** What an error of one attempt to read means. */
export const readReadError = (error: unknown): 'no-stream' | 'refused' | 'again' => {
  // A soft-deleted stream is not found, a tombstoned one is "deleted": there is nothing to read in either.
  if (error instanceof StreamNotFoundError || error instanceof StreamDeletedError) return 'no-stream';
  return statusOf(error) === undefined ? 'again' : 'refused';
};

/** gRPC's statuses for a user who is not known, and for one who may not. */
export const unauthenticated = 16;
export const permissionDenied = 7;

/**
 * How the server denied access, if that is what it did: in the error or in what caused it. An answer on the stream of appends
 * has a class and no code.
 */
export const statusOf = (error: unknown): typeof unauthenticated | typeof permissionDenied | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    if (code === unauthenticated || code === permissionDenied) return code;
    if (at instanceof AccessDeniedError) return permissionDenied;
  }
  return undefined;
};

const invalidArgument = 3;

/** Whether a subscription ended because what lies where it began is no event's beginning. */
export const isInvalidPosition = (error: unknown): boolean =>
  codeOf(error) === invalidArgument && /invalid position/i.test((error as Error).message);

const unknown = 2;

/** Whether a read of the log failed as it does from a position that is no event's beginning. */
export const isNoBeginning = (error: unknown): boolean =>
  codeOf(error) === unknown || isInvalidPosition(error);

/** For messages: class, gRPC code and message, as far as the error has them. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'not an error';
  const code = codeOf(error);
  const name = error.name === 'Error' ? error.constructor.name : error.name;
  return [name, code === undefined ? '' : `(code ${code})`, error.message].filter(Boolean).join(' ');
};

const refused = (error: Error): AppendFailure => ({ kind: 'refused', error });

/** A gRPC status, or the code of an error of Node's. */
export const codeOf = (error: unknown): number | string | undefined =>
  error instanceof Error ? (error as Error & { readonly code?: number | string }).code : undefined;

const toExpected = (actual: unknown): ExpectedRevision =>
  typeof actual === 'bigint' && actual >= 0n ? actual : 'no-stream';
