import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUlid } from '../../domain/kernel/ids.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import type { Metric } from '../../observability/metrics/metric.ts';
import type { RefusedRequest } from '../../projections/usage-counts/collect-refusals.ts';
import type { AddonUse } from '../../projections/usage-counts/count-usage.ts';
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
  '/ssf/streams': 'signals',
  '/ssf/status': 'signals',
  '/ssf/verify': 'signals',
  '/ssf/poll/:stream_id': 'signals',
  ...Object.fromEntries(recordResources.map(({ path }) => [`/${path}`, path])),
};

type Noted = { reason?: RefusalReason; clientId?: string; policies?: readonly string[] };

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

/** Records which limits the request would have exceeded. */
export const noteLimits = (
  request: FastifyRequest,
  standings: readonly { readonly policy: string }[],
): void => {
  noteOf(request).policies ??= standings.map(({ policy }) => policy);
};

/** For an add-on's publisher. A success counts where tokens are issued and lists are answered. */
const countUse = (
  count: (use: AddonUse) => void,
  endpoint: string,
  { id, method }: FastifyRequest,
  { reason, clientId: addonId, policies }: { readonly reason: string | undefined } & Omit<Noted, 'reason'>,
): void => {
  // An id that nobody has is not stored (keep-usage.ts).
  if (addonId === undefined || method === 'OPTIONS') return;
  if (reason !== undefined) count({ addonId, kind: 'refusal', name: `${endpoint} ${reason}`, requestId: id });
  else if (endpoint === 'token') count({ addonId, kind: 'token', name: endpoint, requestId: id });
  else if (lists.has(endpoint)) count({ addonId, kind: 'list', name: endpoint, requestId: id });
  for (const policy of policies ?? []) count({ addonId, kind: 'limit', name: policy, requestId: id });
};

const lists: ReadonlySet<string> = new Set(recordResources.map(({ path }) => path));

export type AboutAddons = {
  readonly countUsage?: (use: AddonUse) => void;
  readonly collectRefusal?: (refused: RefusedRequest) => void;
};

/** One log line and one count for each refusal (TR-05), and one that is kept for its add-on (FX-78), with no input except an id in our format. */
export const countRefusals = (
  app: FastifyInstance,
  logger: Pick<HttpLogger, 'info'>,
  { countUsage = () => undefined, collectRefusal = () => undefined }: AboutAddons = {},
): (() => readonly Metric[]) => {
  const counts = new Map<string, { readonly endpoint: string; readonly reason: string; value: number }>();
  app.addHook('onResponse', (request, reply, done) => {
    const endpoint = endpoints[request.routeOptions.url ?? ''];
    const note = noted.get(request);
    const reason = note?.reason ?? (reply.statusCode >= 400 ? 'unexplained' : undefined);
    if (endpoint !== undefined && note !== undefined)
      countUse(countUsage, endpoint, request, { ...note, reason });
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
      if (note?.clientId !== undefined && reason !== 'client-unknown')
        collectRefusal({ addonId: note.clientId, endpoint, reason, address: request.ip });
    }
    done();
  });
  return () => [
    {
      name: 'grantbook_refusals_total',
      help: 'Requests of add-ons and browsers that were refused.',
      type: 'counter',
      samples: [...counts.values()].map(({ endpoint, reason, value }) => ({
        labels: { endpoint, reason },
        value,
      })),
    },
  ];
};
