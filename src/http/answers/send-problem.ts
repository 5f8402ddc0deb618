import type { FastifyReply } from 'fastify';
import type { Problem } from '../contracts/problem.ts';
import { problemKinds, retryAfter, type ProblemKind } from './problems.ts';
import type { Handler } from '../base/routes.ts';
import { noteReason } from '../limits/refusals.ts';
import { traceOf, traceUrn } from '../requests/trace.ts';

type More = Pick<
  Problem,
  'detail' | 'errors' | 'code' | 'candidates' | 'current' | 'violated-policies' | '_links'
>;

/** Answers with problem details, which never contain tokens or parameter values. */
export const sendProblem = (
  reply: FastifyReply,
  baseUrl: string,
  kind: ProblemKind,
  more: More = {},
): FastifyReply => {
  noteReason(reply.request, kind);
  const { status, title } = problemKinds[kind];
  if (status === 503) reply.header('retry-after', retryAfter);
  const type = `${baseUrl}/problems/${kind}`;
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .header('cache-control', 'no-store')
    .send(
      JSON.stringify({
        type,
        title,
        status,
        ...more,
        instance: traceUrn(traceOf(reply.request)),
      } satisfies Problem),
    );
};

/** For the methods that a path does not have. */
export const methodNotAllowed =
  (baseUrl: string): Handler =>
  (_request, reply) =>
    sendProblem(reply, baseUrl, 'method-not-allowed');
