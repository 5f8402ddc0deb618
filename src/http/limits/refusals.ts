import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUlid } from '../../domain/kernel/ids.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import type { Metric } from '../../observability/metrics/metric.ts';
import type { HttpLogger } from '../base/dependencies.ts';
import type { RefusalReason } from './refusal-reasons.ts';
import { inTrace } from '../requests/trace.ts';

const endpoints: Readonly<Record<string, string>> = {
  '/oauth/token': 'token',
  '/oauth/revoke': 'revoke',
  '/oauth/introspect': 'introspect',
  '/oauth/authorize': 'authorize',
  '/oauth/authorize/continue': 'authorize',
  '/oauth/authorize/decision': 'authorize',
  '/oauth/authorize/another-user': 'authorize',
  ...Object.fromEntries(recordResources.map(({ path }) => [`/${path}`, path])),
};

type Noted = { reason?: RefusalReason; clientId?: string };

const noted = new WeakMap<FastifyRequest, Noted>();

const noteOf = (request: FastifyRequest): Noted => {
  const note = noted.get(request) ?? {};
  noted.set(request, note);
  return note;
};

/** Records why a request is refused. The first reason counts: it is the most specific. */
export const noteReason = (request: FastifyRequest, reason: RefusalReason): void => {
  noteOf(request).reason ??= reason;
};

/** Records which add-on sent the request, or claims to. An id that is not one of ours is dropped (G-05). */
export const noteClient = (request: FastifyRequest, clientId: string | undefined): void => {
  if (clientId !== undefined && isUlid(clientId)) noteOf(request).clientId ??= clientId;
};

/** One log line and one count for each refusal (TR-05), with no input except an id in our format. */
export const countRefusals = (
  app: FastifyInstance,
  logger: Pick<HttpLogger, 'info'>,
): (() => readonly Metric[]) => {
  const counts = new Map<string, { readonly endpoint: string; readonly reason: string; value: number }>();
  app.addHook('onResponse', (request, reply, done) => {
    const endpoint = endpoints[request.routeOptions.url ?? ''];
    const note = noted.get(request);
    const reason = note?.reason ?? (reply.statusCode >= 400 ? 'unexplained' : undefined);
    if (endpoint !== undefined && reason !== undefined) {
      const key = `${endpoint} ${reason}`;
      const count = counts.get(key) ?? { endpoint, reason, value: 0 };
      count.value += 1;
      counts.set(key, count);
      const about = {
        requestId: request.id,
        ...inTrace(request),
        endpoint,
        reason,
        status: reply.statusCode,
      };
      logger.info({ ...about, clientId: note?.clientId ?? null }, 'request refused');
    }
    done();
  });
  return () => [
    {
      name: 'grantbook_refusals_total',
      help: 'Requests of add-ons and browsers that were refused, by endpoint and reason.',
      type: 'counter',
      samples: [...counts.values()].map(({ endpoint, reason, value }) => ({
        labels: { endpoint, reason },
        value,
      })),
    },
  ];
};
