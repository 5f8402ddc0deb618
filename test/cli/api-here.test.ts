import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { apiHere } from '../../src/cli/base/api-here.ts';
import type { CliService } from '../../src/cli/base/service.ts';
import { importerOver } from '../../src/cli/import/importer.ts';
import type { RecordOutcome } from '../../src/commands/records/record.ts';
import { profile } from '../../src/domain/records/profile.ts';
import { EventStoreUnavailable } from '../../src/eventstore/event-store.ts';
import { nextTraceparent } from '../../src/observability/tracing/traceparent.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { runGrantbook } from './run-grantbook.ts';

const organizationId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const away = new EventStoreUnavailable('the event store ends here');

/** The servers of a command, with a log in memory that has the organization. */
const serversWith = async (more: Partial<Record<keyof CliService, unknown>>): Promise<CliService> => {
  const store = memoryStore();
  await store.append(`organization-${organizationId}`, 'no-stream', [
    { event: { type: 'OrganizationCreated', data: { organizationId, name: 'Quay', at: 1 } } },
  ]);
  return {
    actor: { by: 'break-glass', user: null },
    context: { traceparent: nextTraceparent() },
    store,
    close: () => Promise.resolve(),
    ...more,
  } as unknown as CliService;
};

const linesOf = (count: number, from = 0) =>
  Buffer.from(
    Array.from({ length: count }, (_, n) =>
      JSON.stringify({ id: `P${from + n}`, version: 1, name: 'Ada', email: 'ada@example.com' }),
    ).join('\n') + '\n',
  );

const importing = async (record: () => Promise<RecordOutcome>, input: AsyncIterable<Buffer>) => {
  const service = await serversWith({ commands: { recordProfile: record } });
  const waiting = { now: () => 0, pause: () => Promise.resolve() };
  const seen: number[] = [];
  const running = importerOver(apiHere(service, new AbortController().signal), waiting).run({
    resource: profile,
    organizationId,
    input,
    onProgress: ({ lines }) => void seen.push(lines),
    onFailure: () => undefined,
    onWait: () => undefined,
  });
  return { running, seen };
};
const added: RecordOutcome = { ok: true, value: { effect: 'added', position: null } };

test('what the servers throw is explained by the command as it is, and not as a service would answer it', async () => {
  const store = { ...memoryStore(), read: () => Promise.reject(away), readBack: () => Promise.reject(away) };
  const openService = () => serversWith({ store });
  const shown = await runGrantbook(['organization', 'show', organizationId, '--json'], { openService });
  expect(shown).toMatchObject({ exitCode: 1, json: { error: { code: 'unavailable' } } });
});

test('LI-08: an import is one stream: no more of a file is read than is being stored, and progress is by line', async () => {
  let [pulled, recorded] = [0, 0];
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => (release = resolve));
  async function* input() {
    for (; pulled < 50; pulled += 1) yield await Promise.resolve(linesOf(200, pulled * 200));
  }
  const record = async () => {
    recorded += 1;
    await released;
    return added;
  };
  const { running, seen } = await importing(record, input());
  await expect.poll(() => recorded).toBeGreaterThan(250);
  for (let turns = 0; turns < 100; turns += 1) await turn();
  expect(pulled).toBeLessThan(25);
  release();
  expect((await running).counts).toMatchObject({ lines: 10_000, added: 10_000 });
  expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
});

test('LI-08: an import whose log fails says where it stopped, with what is stored counted', async () => {
  let recorded = 0;
  const record = () => ((recorded += 1) > 600 ? Promise.reject(away) : Promise.resolve(added));
  async function* input() {
    for (let chunk = 0; chunk < 10; chunk += 1) yield await Promise.resolve(linesOf(500, chunk * 500));
  }
  const { running } = await importing(record, input());
  const { counts, stopped } = await running;
  expect([counts.added, stopped?.cause]).toEqual([600, away]);
  expect(stopped?.atLine).toBeGreaterThan(600);
});

test('LI-08: a file that breaks is imported up to its last whole line, without the piece of another', async () => {
  const broken = new Error('the disk ends here');
  async function* input() {
    yield await Promise.resolve(Buffer.concat([linesOf(3), Buffer.from('{"id": "half')]));
    throw broken;
  }
  const { running } = await importing(() => Promise.resolve(added), input());
  expect(await running).toMatchObject({
    counts: { lines: 3, added: 3, refused: 0 },
    stopped: { atLine: 3, cause: broken },
  });
});
