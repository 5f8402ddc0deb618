import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../contracts/problem.ts';
import { problemKinds, retryAfter, type ProblemKind } from './problems.ts';
import { noteReason } from '../limits/refusals.ts';
import { traceOf, traceUrn } from '../requests/trace.ts';

type More = Pick<Problem, 'detail' | 'errors' | 'code' | 'candidates' | 'violated-policies' | '_links'>;

/** Answers with problem details, which never contain tokens or parameter values. */
export const sendProblem = (
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  kind: ProblemKind,
  more: More = {},
): FastifyReply => {
  noteReason(request, kind);
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
        instance: traceUrn(traceOf(request)),
      } satisfies Problem),
    );
};
