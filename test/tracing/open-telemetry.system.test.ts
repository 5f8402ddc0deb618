import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifyCredential } from '../../src/commands/credentials/credentials.ts';
import { grantStream } from '../../src/domain/streams.ts';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { makeAddon, makeCast, settingsFor } from '../operations/running.ts';
import { startService, stopService } from '../lifecycle/service.ts';
import { startCollector, type CollectedSpan } from './collector.ts';
import { startTestServers } from '../support/test-servers.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

// A busy machine may answer a probe of writes too late.
allowTrouble(/does not accept writes/);

const { stores } = await startTestServers();

const start = async (change: Readonly<Record<string, string>>) => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const service = await startService({
    ...settingsFor(stores),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ...change,
  });
  return { collector, service };
};

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = '00f067aa0ba902b7';
const headers = { traceparent: `00-${traceId}-${caller}-01` };

test('OP-07: request, append, query and fence are spans of the caller’s trace; log lines, metrics and events go with them', async () => {
  const { collector, service } = await start({
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-of-test=yes',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRIC_EXPORT_INTERVAL: '2000',
    OTEL_METRIC_EXPORT_TIMEOUT: '1900',
  });
  const core = await composeService(readConfig(settingsFor(stores)), stores, watchedLogger());
  onTestFinished(() => core.close());
  const { addonId, refreshToken } = await makeAddon(core, await makeCast(core));
  const refresh = { grant_type: 'refresh_token', client_id: addonId, refresh_token: refreshToken };
  const body = new URLSearchParams(refresh);
  const answer = await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', body, headers });
  expect(answer.status).toBe(200);

  const inTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  const named = (start: string) => inTrace().filter(({ name }) => name.startsWith(start));
  await expect.poll(() => named('request ').map(({ name }) => name)).toEqual(['request POST /oauth/token']);
  const [request] = named('request ');
  expect(request?.parentSpanId).toBe(caller);
  expect([...new Set(inTrace().map(({ name }) => name.split(' ', 1)[0] ?? ''))].toSorted()).toEqual([
    'append',
    'fence',
    'query',
    'read',
    'request',
  ]);
  expect(named('append ').map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['append grant', request?.spanId],
  ]);
  const isUnder = ({ parentSpanId }: CollectedSpan) =>
    inTrace().some(({ spanId }) => spanId === parentSpanId);
  expect(inTrace().filter((span) => span !== request && !isUnder(span))).toEqual([]);

  const lineOf = () =>
    service
      .output()
      .split('\n')
      .find((text) => text.includes('"path":"/oauth/token"'));
  await expect.poll(lineOf).toBeDefined();
  const line = lineOf();
  expect(JSON.parse(line ?? '{}')).toMatchObject({ trace_id: traceId, traceId, span_id: request?.spanId });
  const grantId = verifyCredential(core.keys, 'refresh', refreshToken)?.grantId ?? '';
  const [newest] = await core.store.readEnd(grantStream(grantId), 'last', 1);
  expect(newest?.metadata.traceparent).toBe(`00-${traceId}-${request?.spanId}-01`);

  await expect
    .poll(() => [...collector.metrics])
    .toEqual(
      expect.arrayContaining([
        'grantbook_eventstore_append_seconds',
        'grantbook_eventstore_read_seconds',
        'grantbook_postgres_query_seconds',
        'grantbook_http_request_duration_seconds',
        'grantbook_postgres_connections',
      ]),
    );
  expect([...collector.came].toSorted()).toEqual([
    'POST /v1/metrics application/json yes',
    'POST /v1/traces application/json yes',
  ]);
  expect([...collector.resources]).toEqual(
    expect.arrayContaining(['service.name=grantbook', 'deployment.environment.name=test']),
  );
  const { refresh_token } = (await answer.json()) as { refresh_token: string };
  for (const secret of [refreshToken, refresh_token]) expect(collector.holds(secret)).toBe(false);
  expect(await stopService(service, 'SIGTERM')).toBe(0);
});

test('OP-07: as protobuf where nothing else is said, what is left goes at the end; a name of the environment is kept', async () => {
  const { collector, service } = await start({ OTEL_SERVICE_NAME: 'ours' });
  await fetch(`${service.baseUrl}/health/ready`, { headers });
  expect(await stopService(service, 'SIGTERM')).toBe(0);
  expect([...collector.came].toSorted()).toEqual([
    'POST /v1/metrics application/x-protobuf undefined',
    'POST /v1/traces application/x-protobuf undefined',
  ]);
  for (const text of ['request GET /health/ready', 'grantbook_postgres_query_seconds', 'ours'])
    expect([text, collector.holds(text)]).toEqual([text, true]);
});

test('OP-07: nothing of it is loaded where it is not wanted', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const those = (text: RegExp) =>
    sources.filter((file) => text.test(readFileSync(join('src', file), 'utf8'))).toSorted();
  expect(those(/from '@opentelemetry\//)).toEqual(['observability/tracing/open-telemetry.ts']);
  expect(those(/(from|import) '.*open-telemetry\.ts'/)).toEqual([]);
  expect(those(/import\('.*open-telemetry\.ts'\)/)).toEqual(['main.ts']);
});
