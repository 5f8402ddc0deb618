import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorText } from '../words/languages.ts';
import type { Browser } from '../base/browser.ts';
import { classifyFailure, cureOf, type Failure, UnacceptableRequest } from './failures.ts';
import type { Base, HttpLogger } from '../base/dependencies.ts';
import { detailOf } from './malformed.ts';
import { parseParams } from '../requests/params.ts';
import { retryAfter, type ProblemKind } from './problems.ts';
import { sendProblem } from './send-problem.ts';

/** Accepts only form bodies, and keeps every value of repeated fields. */
export const acceptForms = (place: FastifyInstance): void => {
  place.removeAllContentTypeParsers();
  accept(place, 'application/x-www-form-urlencoded', (body) => parseParams(formText(body)));
};

const accept = (
  place: FastifyInstance,
  mediaType: string,
  parse: (body: Buffer) => unknown,
  limits: { readonly bodyLimit?: number } = {},
): unknown =>
  place.addContentTypeParser(mediaType, { parseAs: 'buffer', ...limits }, (_request, body, done) => {
    try {
      done(null, parse(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

/** A body is UTF-8, whatever it says (RFC 8259 §8.1); a byte order mark is ignored, as the RFC allows. @throws UnacceptableRequest */
export const utf8In = (body: Uint8Array): string => {
  try {
    return utf8.decode(body);
  } catch {
    throw new UnacceptableRequest('malformed-request', 'The body is not UTF-8');
  }
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Of a form the characters that are encoded with a percent sign are UTF-8, too. */
const formText = (body: Buffer): string => {
  const text = utf8In(body);
  if (/%[89a-f]/i.test(text)) utf8In(Buffer.from(body.toString('latin1').replace(escape, byteOf), 'latin1'));
  return text;
};

const escape = /%([0-9a-f]{2})/gi;
const byteOf = (_all: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));

/** No body is needed, but JSON is accepted: clients that always send a body send `{}`, or an empty one with that type. */
export const acceptOptionalJson = (place: FastifyInstance): void => {
  place.removeAllContentTypeParsers();
  acceptJsonAs(place, 'application/json');
};

/** The same of another media type of JSON; what is accepted already stays. */
export const acceptJsonAs = (place: FastifyInstance, mediaType: string): void => {
  accept(place, mediaType, (body) => parseJson(utf8In(body)));
};

/** Nothing for an empty text. @throws UnacceptableRequest */
export const parseJson = (text = ''): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UnacceptableRequest('malformed-request', 'The body is not JSON');
  }
};

/** The same, not parsed: for whoever knows first that the caller may send so much. @param bodyLimit in bytes */
export const acceptJsonText = (place: FastifyInstance, bodyLimit: number): void => {
  place.removeAllContentTypeParsers();
  accept(place, 'application/json', utf8In, { bodyLimit });
};

const problemOf = {
  unavailable: 'temporarily-unavailable',
  'on-hold': 'event-unreadable',
  'too-large': 'too-large',
  'unsupported-media-type': 'unsupported-media-type',
  'unsupported-content-encoding': 'unsupported-content-encoding',
  'unsupported-transfer-encoding': 'unsupported-transfer-encoding',
  'expectation-failed': 'expectation-failed',
  'malformed-request': 'malformed-request',
  'internal-error': 'internal-error',
} as const satisfies Record<Failure, ProblemKind>;

type OnError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Classifies every thrown error, logs it if it is a fault of ours, and never shows it (RFC 9457). */
export const answerWithProblems = ({ config, logger }: Pick<Base, 'config' | 'logger'>) => {
  const onError: OnError = (error, request, reply) => {
    const failure = classifyFailure(error);
    logFailure(logger, failure, error, request);
    const isTheirs = failure === 'malformed-request' || error instanceof UnacceptableRequest;
    const cure = cureOf(error);
    const more = isTheirs ? { detail: detailOf(error) } : cure === null ? {} : { detail: sentence(cure) };
    return sendProblem(reply, config.baseUrl, problemOf[failure], more);
  };
  const onNotFound = (_request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(reply, config.baseUrl, 'not-found');
  return { onError, onNotFound };
};

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const logFailure = (logger: HttpLogger, failure: Failure, error: unknown, request: FastifyRequest): void => {
  const fields = { err: error, requestId: request.id };
  if (failure === 'internal-error') logger.error(fields, 'request failed');
  if (failure === 'unavailable') logger.warn(fields, 'request failed: temporarily unavailable');
};

const pageOf: Record<
  Failure,
  { readonly status: number; readonly title: ErrorText; readonly message: ErrorText }
> = {
  unavailable: {
    status: 503,
    title: 'tryAgain',
    message: 'unavailable',
  },
  'on-hold': {
    status: 409,
    title: 'onHold',
    message: 'onHoldWhy',
  },
  'too-large': { status: 413, title: 'tooLarge', message: 'tooLargeWhy' },
  'unsupported-media-type': {
    status: 415,
    title: 'tryAgain',
    message: 'mediaType',
  },
  'unsupported-content-encoding': {
    status: 415,
    title: 'tryAgain',
    message: 'contentEncoding',
  },
  'unsupported-transfer-encoding': {
    status: 501,
    title: 'tryAgain',
    message: 'transferEncoding',
  },
  'expectation-failed': {
    status: 417,
    title: 'tryAgain',
    message: 'expectation',
  },
  'malformed-request': { status: 400, title: 'tryAgain', message: 'malformed' },
  'internal-error': { status: 500, title: 'ourFault', message: 'ourFaultWhy' },
};

/** The same with pages. */
export const answerWithPages = (
  place: FastifyInstance,
  { logger, message }: Pick<Browser, 'logger' | 'message'>,
): void => {
  place.setErrorHandler((error, request, reply) => {
    const failure = classifyFailure(error);
    logFailure(logger, failure, error, request);
    const { status, title, message: why } = pageOf[failure];
    if (status === 503) reply.header('retry-after', retryAfter);
    const isCurable = cureOf(error) !== null;
    return message(reply, status, ({ errors }) => ({
      title: errors[title],
      message: isCurable ? errors.rightMissing : errors[why],
      requestId: request.id,
    }));
  });
};
