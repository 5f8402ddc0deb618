import { Metadata, status } from '@grpc/grpc-js';
import type { EndStatus } from './faults.ts';

/** How a call fails: gRPC status, text, and the trailers by which the client selects its error class. */
export type StatusError = {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
};

const failure = (code: status, details: string, trailers: Record<string, string> = {}): StatusError => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, printable(value));
  return { code, details, metadata };
};

/** Trailers are ASCII: other characters in a stream name would make the error itself unreadable. */
const printable = (value: string): string => value.replaceAll(/[^\x20-\x7e]/g, '?');

export const invalidArgument = (details: string): StatusError => failure(status.INVALID_ARGUMENT, details);

/**
 * A subscription began beyond the end, and the log has since grown past that position without an event that begins
 * there.
 */
export const invalidPosition = (): StatusError => invalidArgument('Trying to read from an invalid position.');

/** The answer of the real server to an internal exception. */
export const thrown = (): StatusError => failure(status.UNKNOWN, 'Exception was thrown by handler.');
export const readFailed = (): StatusError => failure(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');

export const streamDeleted = (stream: string): StatusError =>
  failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const wrongExpectedVersion = (stream: string, expected: bigint, actual: bigint): StatusError =>
  failure(
    status.FAILED_PRECONDITION,
    `Append failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(expected),
      'actual-version': String(actual),
    },
  );

export const tooLarge = (maximum: number): StatusError =>
  failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${maximum} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maximum),
  });

export const eventTooLarge = (maximum: number, id: string, size: number): StatusError =>
  failure(
    status.INVALID_ARGUMENT,
    `Event with Id: ${id}, Size: ${size}, exceeds Maximum Append Event Size of ${maximum}.`,
    {
      exception: 'maximum-append-event-size-exceeded',
      'maximum-append-event-size': String(maximum),
      'event-id': id,
      'proposed-append-event-size': String(size),
    },
  );

export const missingProperty = (missing: string): StatusError =>
  failure(status.INVALID_ARGUMENT, `Required Metadata Property '${missing}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const accessDenied = (): StatusError =>
  failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const commitTimeout = (): StatusError =>
  failure(status.ABORTED, 'Operation timed out: Commit phase timeout.');
export const notReady = (): StatusError => failure(status.UNAVAILABLE, 'Server Is Not Ready');
export const shuttingDown = (): StatusError => failure(status.UNAVAILABLE, 'Server is shutting down');

export const notLeader = (host: string, port: number): StatusError =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

/** The status that fault injection requested. */
export const ended = (how: Exclude<EndStatus, 'OK'>): StatusError =>
  failure(
    status[how],
    how === 'ABORTED'
      ? 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.'
      : `The call was ended with ${how}`,
  );
