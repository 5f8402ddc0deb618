import { expect, test } from 'vitest';
import { observedPublishing } from '../../src/observability/tracing/observed-ports.ts';
import { makeOperations } from '../../src/observability/tracing/operations.ts';
import type { Telemetry } from '../../src/observability/tracing/telemetry.ts';

const recording = () => {
  const told: string[] = [];
  const telemetry: Telemetry = {
    begin: (name, kind) => ({
      run: (work) => work(),
      end: (error) => void told.push(`${kind} ${name}${error instanceof Error ? ` ${error.name}` : ''}`),
    }),
    beginRequest: () => {
      throw new Error('no request here');
    },
    record: (name) => void told.push(name),
    exportMetrics: () => undefined,
    logFields: () => ({}),
    stop: () => Promise.resolve(),
  };
  return { told, telemetry };
};

const message = { topic: 'grantbook.decisions', key: null, value: null, headers: {} };

test('OP-07: publishing is a span of its topic, also where it fails', async () => {
  const { told, telemetry } = recording();
  const operations = makeOperations(telemetry);
  const { signal } = new AbortController();
  const publish = (outcome: Promise<void>) =>
    observedPublishing({ publish: () => outcome }, operations).publish([message], signal);
  await publish(Promise.resolve());
  await expect(publish(Promise.reject(new TypeError('away')))).rejects.toThrow('away');
  expect(told).toEqual([
    'producer publish grantbook.decisions',
    'producer publish grantbook.decisions TypeError',
  ]);
});

test('OP-07: what takes how long, and what is under way, is counted without telemetry, too', async () => {
  const operations = makeOperations(null);
  const end = operations.begin('query', 'select');
  const valueOf = (name: string, suffix?: string) =>
    operations
      .metrics()
      .find((metric) => metric.name === name)
      ?.samples.find(
        (sample) => sample.suffix === suffix && (suffix || sample.labels?.['operation'] === 'query'),
      )?.value;
  expect(valueOf('grantbook_operations_under_way')).toBe(1);
  end();
  await operations.around('append', 'grant', () => Promise.resolve());
  expect(valueOf('grantbook_operations_under_way')).toBe(0);
  for (const [name, count] of [
    ['grantbook_postgres_query_seconds', 1],
    ['grantbook_eventstore_append_seconds', 1],
    ['grantbook_eventstore_read_seconds', 0],
  ] as const)
    expect([name, valueOf(name, '_count')]).toEqual([name, count]);
});
