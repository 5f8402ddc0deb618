import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

/** As OTLP/JSON has it. */
export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
};

type Traces = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
};
type Metrics = {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
};

/** An OpenTelemetry collector that keeps what it is sent as OTLP/JSON, and by what path and type anything came. */
export const startCollector = async () => {
  const spans: CollectedSpan[] = [];
  const metrics = new Set<string>();
  const came = new Set<string>();
  const resources = new Set<string>();
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const type = String(request.headers['content-type']);
      came.add(`${request.method} ${request.url} ${type} ${String(request.headers['x-of-test'])}`);
      bodies.push(body);
      if (type === 'application/json') keep(JSON.parse(body.toString()) as Partial<Traces & Metrics>);
      response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    })();
  });
  const keep = ({ resourceSpans = [], resourceMetrics = [] }: Partial<Traces & Metrics>) => {
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { key, value } of resource.attributes)
        resources.add(`${key}=${String(value['stringValue'])}`);
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    for (const { scopeMetrics } of resourceMetrics)
      for (const { name } of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.add(name);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: spans as readonly CollectedSpan[],
    metrics: metrics as ReadonlySet<string>,
    came: came as ReadonlySet<string>,
    resources: resources as ReadonlySet<string>,
    /** Whether a text is in anything that came, in whatever encoding of OTLP over HTTP. */
    holds: (text: string) => bodies.some((body) => body.includes(text)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
