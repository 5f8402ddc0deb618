import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noRoute } from '../metrics/count-requests.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import type { HttpLogger } from '../base/dependencies.ts';
import { inTrace } from './trace.ts';

/**
 * The route as written in the code, without its parameters: an address may contain codes, tokens, state (G-05), or,
 * where it is unknown, anything at all (CL-09).
 */
const pathOf = ({ is404, routeOptions }: FastifyRequest): string =>
  (is404 ? undefined : routeOptions.url) ?? noRoute;

/**
 * One line for each request, after the answer: route, status, duration; never a header, body or query. Frequent routes
 * (lists, tokens, health) are logged at debug level.
 */
export const logRequests = (app: FastifyInstance, logger: HttpLogger): void => {
  const lists = recordResources.map(({ path }) => path).join('|');
  const quiet = new RegExp(`^/(oauth/token|${lists}|health/|assets/)`);
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply;
    const level = statusCode >= 500 ? 'warn' : quiet.test(request.url) ? 'debug' : 'info';
    if (logger.isLevelEnabled(level)) {
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      logger[level](
        {
          requestId: request.id,
          ...inTrace(request),
          method: request.method,
          path: pathOf(request),
          status: statusCode,
          ms,
        },
        'request',
      );
    }
    done();
  });
};
