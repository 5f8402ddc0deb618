import type { FastifyError } from 'fastify';
import { isServerAway } from '../../common/server-away.ts';
import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  StreamUnreadable,
  RightMissing,
} from '../../eventstore/event-store.ts';

/** A thrown error, classified by what may be disclosed to callers. */
export type Failure =
  | 'unavailable'
  | 'on-hold'
  | 'too-large'
  | 'unsupported-media-type'
  | 'unsupported-content-encoding'
  | 'unsupported-transfer-encoding'
  | 'expectation-failed'
  | 'malformed-request'
  | 'internal-error';

/** A request that is refused before any lookup. `detail` says what is wrong, without any value that was sent. */
export class UnacceptableRequest extends Error {
  override readonly name = 'UnacceptableRequest';
  readonly failure: Failure;
  readonly detail: string;
  constructor(failure: Failure, detail: string) {
    super(detail);
    this.failure = failure;
    this.detail = detail;
  }
}

/** Fastify's codes for a request that took too long. */
const tookTooLong = /^(FST_REPLY_FROM|FST_ERR_HANDLER_TIMEOUT)/;

/** For an answer that says only that a retry may work: what somebody has to do first; null if nothing. Fixed text. */
export const cureOf = (error: unknown): string | null =>
  error instanceof RightMissing
    ? 'the service lacks a right at its event store, which its operator has to grant'
    : null;

/** The log, the database or a connection to one of them is unavailable: a retry may work, so 503 and not 500 (G-07). */
export const classifyFailure = (error: unknown): Failure => {
  if (error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown) return 'unavailable';
  if (error instanceof StreamUnreadable) return 'on-hold';
  if (error instanceof UnacceptableRequest) return error.failure;
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'too-large';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'FST_ERR_CTP_INVALID_CONTENT_TYPE')
    return 'unsupported-media-type';
  if (statusCode >= 400 && statusCode < 500) return 'malformed-request';
  return isServerAway(error) || tookTooLong.test(String(code)) ? 'unavailable' : 'internal-error';
};
