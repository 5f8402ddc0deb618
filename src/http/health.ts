import type { FastifyInstance, FastifyReply } from 'fastify';
import type { HttpNeeds } from './needs.ts';
import { retryAfter, sendProblem } from './problems.ts';
import type { Liveness, Readiness } from './contracts/health.ts';
import { path, type Handler } from './routes.ts';

/** `/health/live`: the process answers. `/health/ready`: it would also accept tokens. Degraded is ready. */
export const registerHealth = (app: FastifyInstance, { config, readiness, trusted }: HttpNeeds): void => {
  const send = (reply: FastifyReply, status: 200 | 503, body: Liveness | Readiness) =>
    reply
      .code(status)
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      .send(JSON.stringify(body));

  const ready: Handler = async (_request, reply) => {
    const { ready: answered, degraded = false, checks } = await readiness();
    const isTrusted = trusted();
    const isReady = answered && isTrusted;
    if (!isReady) reply.header('retry-after', retryAfter);
    return send(reply, isReady ? 200 : 503, {
      status: !isReady ? 'not-ready' : degraded ? 'degraded' : 'ready',
      checks: {
        ...checks,
        tokens: isTrusted ? 'accepted' : 'not accepted until the read models are current',
      },
    });
  };

  const refuse: Handler = (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed');
  path(app, '/health/live', { GET: (_request, reply) => send(reply, 200, { status: 'live' }) }, refuse);
  path(app, '/health/ready', { GET: ready }, refuse);
};
