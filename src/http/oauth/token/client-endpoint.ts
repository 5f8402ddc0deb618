import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { classifyFailure, cureOf } from '../../answers/failures.ts';
import { detailOf } from '../../answers/malformed.ts';
import type { Base } from '../../base/dependencies.ts';
import { isRepeated, type Params } from '../../requests/params.ts';
import {
  invalidRequest,
  onHold,
  sendTokenError,
  unavailable,
  type TokenAnswer,
  type TokenRefusal,
} from './token-answers.ts';

/** For endpoints that add-ons call: every error is answered with RFC 6749's JSON. */
export const answerWithOAuthErrors = (place: FastifyInstance, { logger }: Pick<Base, 'logger'>): void => {
  place.setErrorHandler((error, request, reply) => {
    const failure = classifyFailure(error);
    if (failure === 'internal-error')
      logger.error({ err: error, requestId: request.id }, 'a request of an add-on failed');
    if (failure === 'malformed-request')
      return sendTokenError(reply, invalidRequest(lowerFirst(detailOf(error)), failure));
    const cure = cureOf(error);
    if (cure !== null) logger.error({ err: error, requestId: request.id }, 'a request of an add-on failed');
    return sendTokenError(reply, {
      ...failureAnswers[failure],
      reason: failure,
      ...(cure !== null && { description: cure }),
    });
  });
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const failureAnswers = {
  unavailable,
  'on-hold': onHold,
  'too-large': { ...invalidRequest('the body is too large', 'too-large'), status: 413 },
  'unsupported-media-type': invalidRequest(
    'the body must be application/x-www-form-urlencoded',
    'unsupported-media-type',
  ),
  'unsupported-content-encoding': {
    ...invalidRequest('the body must be sent without Content-Encoding', 'unsupported-content-encoding'),
    status: 415,
  },
  'unsupported-transfer-encoding': {
    ...invalidRequest('the only transfer coding is chunked', 'unsupported-transfer-encoding'),
    status: 501,
  },
  'expectation-failed': {
    ...invalidRequest('the only expectation that is met is 100-continue', 'expectation-failed'),
    status: 417,
  },
  'malformed-request': invalidRequest('the request cannot be read', 'malformed-request'),
  'internal-error': { error: 'server_error', description: 'internal error', status: 500 },
} satisfies Record<ReturnType<typeof classifyFailure>, TokenAnswer>;

/** The answer to a wrong method at these endpoints. */
export const onlyPost = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendTokenError(reply, {
    ...invalidRequest('only POST is offered here', 'method-not-allowed'),
    status: 405,
  });

/** Refuses repeated parameters: it is unclear which value is meant (G-04). */
export const repeatedOf = (params: Params, names: readonly string[]): TokenRefusal | null => {
  const repeated = names.find((name) => isRepeated(params, name));
  return repeated === undefined
    ? null
    : invalidRequest(`${repeated} was sent more than once`, 'parameter-repeated');
};

/** Refuses a client; a 401 to one that used the `Authorization` header names its scheme (TK-06). */
export const refuseClient = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  answer: TokenRefusal,
): FastifyReply => {
  if (answer.status === 401 && headers.authorization !== undefined) challengeBasic(reply);
  return sendTokenError(reply, answer);
};

export const challengeBasic = (reply: FastifyReply): FastifyReply =>
  reply.header('www-authenticate', 'Basic realm="grantbook", charset="UTF-8"');
