import { addAbortSignal, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { reservationFile } from '../../../bench/import/reservations.ts';
import { reportImport } from '../../../src/cli/import/report.ts';
import { runImport } from '../../../src/kafka/import/run-import.ts';
import { reservationRecord } from '../../support/documents/record-schemas.ts';
import type { CliService } from '../../../src/cli/base/service.ts';
import type { WaitForProjectionsOptions } from '../../../src/cli/base/wait-for-projections.ts';
import { makeRecord } from '../../../src/commands/records/record.ts';
import { reservation as reservationResource } from '../../../src/domain/records/reservation.ts';
import type { Position } from '../../../src/eventstore/event-store.ts';
import { nextTraceparent } from '../../../src/observability/tracing/traceparent.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { runGrantbook } from '../run-grantbook.ts';

/** The real command over a log in memory. */
const importer = () => {
  const store = memoryStore();
  const record = makeRecord({ store, now: () => 1 }, reservationResource);
  const run = (input: AsyncIterable<Buffer>) =>
    runImport({ input, organizationId: 'ORG', schema: reservationRecord, record: (one) => record(one) });
  const versionsOf = (id: string) =>
    store
      .all()
      .filter(({ stream }) => stream === `reservation-ORG.${id}`)
      .map(({ event }) => (event.data as { readonly version: number }).version);
  return { store, run, versionsOf };
};
const bytes = (text: string) => Readable.from([Buffer.from(text)]) as AsyncIterable<Buffer>;

test('LI-08: a file that ends in the middle of a line loses that line only, and the whole file brings it later', async () => {
  const { run, store } = importer();
  const whole = [...reservationFile(50)].join('');
  const cut = await run(bytes(whole.slice(0, -40)));
  expect(cut.counts).toMatchObject({ added: 49, refused: 1 });
  expect(cut.counts.errors).toEqual([{ line: 50, field: null, message: 'the line is not JSON' }]);
  const mended = await run(bytes(whole));
  expect(mended.counts).toMatchObject({ added: 1, unchanged: 49, refused: 0 });
  expect(store.all()).toHaveLength(50);
});

test('LI-08: an interruption stores what has begun, counts it, and says how to go on', async () => {
  const { run, store } = importer();
  const stop = new AbortController();
  const input = Readable.from(
    (async function* () {
      for (const piece of reservationFile(2_000)) {
        yield await Promise.resolve(Buffer.from(piece));
        if (store.all().length > 500) stop.abort();
      }
    })(),
    { highWaterMark: 1 },
  );
  const result = await run(addAbortSignal(stop.signal, input) as AsyncIterable<Buffer>);
  expect(result.counts.added).toBe(store.all().length);
  expect(result.counts).toMatchObject({ lines: result.stopped?.atLine, refused: 0 });
  expect(result.counts.added).toBeLessThan(2_000);
  const report = reportImport({
    resource: 'reservations',
    organization: 'ORG',
    result,
    visible: false,
    seconds: 2,
    visibleAfterSeconds: 0,
  });
  expect(report).toMatchObject({
    exitCode: 1,
    json: { added: store.all().length, error: { code: 'stopped' } },
  });
  expect(report.text).toContain(`Interrupted near line ${result.stopped?.atLine}; run it again`);

  const rest = await run(bytes([...reservationFile(2_000)].join('')));
  expect(rest.counts).toMatchObject({ added: 2_000 - result.counts.added, unchanged: result.counts.added });
  expect(store.all()).toHaveLength(2_000);
});

test('LI-08: who interrupts an import that only waits for the lists learns that everything is stored', async () => {
  const store = memoryStore();
  const organizationId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  await store.append(`organization-${organizationId}`, 'no-stream', [
    { event: { type: 'OrganizationCreated', data: { organizationId, name: 'Org', at: 1 } } },
  ]);
  const interruption = new AbortController();
  const asked: WaitForProjectionsOptions[] = [];
  const service = {
    store,
    actor: { by: 'break-glass', user: null },
    context: { traceparent: nextTraceparent() },
    readModels: { names: () => Promise.resolve(new Map()) },
    commands: { recordReservation: makeRecord({ store, now: () => 1 }, reservationResource) },
    settle: (_position?: Position, options: WaitForProjectionsOptions = {}) => {
      asked.push(options);
      return new Promise<boolean>((resolve) => {
        options.signal?.addEventListener('abort', () => resolve(false));
        interruption.abort();
      });
    },
    close: () => Promise.resolve(),
  } as unknown as CliService;
  const ran = await runGrantbook(
    ['import', 'reservations', '-', '--organization', organizationId, '--json'],
    {
      stdin: [...reservationFile(20)].join(''),
      signal: interruption.signal,
      openService: () => Promise.resolve(service),
    },
  );
  expect(asked).toMatchObject([{ atMostMs: Infinity }]);
  expect(ran.json).toMatchObject({ added: 20, visible: false });
  expect(ran.json).not.toHaveProperty('error');
  expect(ran.exitCode).toBe(0);
});
