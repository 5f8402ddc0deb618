import type { FastifyPluginCallback, FastifyReply } from 'fastify';
import { atMostEvery } from '../../common/at-most-every.ts';
import type { Liveness, Readiness } from '../contracts/health.ts';
import type { Base, Readiness as Judged } from '../base/dependencies.ts';
import { healthPaths } from './health-paths.ts';
import { retryAfter } from '../answers/problems.ts';
import { methodNotAllowed } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';

export type LivenessDependencies = Pick<Base, 'config'> & {
  readonly version: string;
  /** The commit that was built, in hexadecimal digits. */
  readonly commit: string;
};

export type ReadinessDependencies = Omit<Base, 'logger'> & {
  /** The answer of `/health/ready`. The caller must put a time limit on checks that may hang. */
  readonly readiness: () => Promise<Judged>;
};

/** `/health/live`: says that the process answers, and which version it is. It reads nothing. */
export const liveness = ({ config, version, commit }: LivenessDependencies): FastifyPluginCallback =>
  scope((app) =>
    path(
      app,
      healthPaths,
      '/health/live',
      { GET: (_request, reply) => sendHealth(reply, 200, { status: 'live', version, commit }) },
      methodNotAllowed(config.baseUrl),
    ),
  );

/** `/health/ready`: whether tokens would be accepted. Degraded is ready, stopping is not; checked once a second at most (DO-03). */
export const readiness = ({
  config,
  readiness: ofService,
  trusted,
  stopping,
  now,
}: ReadinessDependencies): FastifyPluginCallback => {
  const judge = atMostEvery(1_000, ofService, now);
  const ready: Handler = async (_request, reply) => {
    const { ready: answered, degraded = false, checks } = await judge();
    const isTrusted = trusted();
    const isReady = answered && isTrusted && !stopping.aborted;
    if (!isReady) reply.header('retry-after', retryAfter);
    return sendHealth(reply, isReady ? 200 : 503, {
      status: stopping.aborted ? 'stopping' : !isReady ? 'not-ready' : degraded ? 'degraded' : 'ready',
      checks: {
        ...checks,
        tokens: isTrusted ? 'accepted' : 'not accepted until the read models are current',
      },
    });
  };
  return scope((app) =>
    path(app, healthPaths, '/health/ready', { GET: ready }, methodNotAllowed(config.baseUrl)),
  );
};

const sendHealth = (reply: FastifyReply, status: 200 | 503, body: Liveness | Readiness) =>
  reply
    .code(status)
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify(body));
