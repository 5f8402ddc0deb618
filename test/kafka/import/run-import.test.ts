import { describe, expect, test } from 'vitest';
import { runImport } from '../../../src/kafka/import/run-import.ts';
import type { RecordOutcome, RecordRequest } from '../../../src/commands/records/record.ts';
import { profileRecord } from '../../support/documents/record-schemas.ts';
import type { Profile } from '../../../src/domain/records/profile.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';

type Request = RecordRequest<Profile>;

const profileLine = (id: string, version = 1, name = 'Ada') =>
  JSON.stringify({ id, version, name, email: 'ada@example.com' });

// oxlint-disable-next-line typescript/require-await -- a stream of chunks
async function* lines(...all: readonly string[]) {
  for (const line of all) yield Buffer.from(`${line}\n`);
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Records by version like the commands do, and keeps what it saw. */
const recorder = (answer?: (request: Request) => RecordOutcome | Promise<RecordOutcome>) => {
  const versions = new Map<string, number>();
  const seen: Request[] = [];
  let commit = 0n;
  let inFlight = 0;
  let most = 0;
  const store = ({ id, version }: Request): RecordOutcome => {
    const known = versions.get(id);
    if (known !== undefined && version < known) return { ok: false, refusal: 'older-version' };
    if (known === version) return { ok: true, value: { effect: 'unchanged', position: null } };
    versions.set(id, version);
    commit += 1n;
    const effect = known === undefined ? 'added' : 'changed';
    return { ok: true, value: { effect, position: { commit, prepare: commit } } };
  };
  const record = async (request: Request): Promise<RecordOutcome> => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await turn();
    seen.push(request);
    inFlight -= 1;
    return answer === undefined ? store(request) : await answer(request);
  };
  return { record, seen, most: () => most };
};

const importing = (input: AsyncIterable<Buffer>, record: (request: Request) => Promise<RecordOutcome>) =>
  runImport({ input, organizationId: 'ORG', schema: profileRecord, record, concurrency: 8 });

describe('an import (LI-08)', () => {
  test('names bad lines by number, goes on, and loses nothing of the good ones', async () => {
    const { record, seen } = recorder();
    const { counts, position } = await importing(
      lines(profileLine('a'), '{', profileLine('b'), profileLine('c c'), profileLine('d')),
      record,
    );
    expect(counts).toMatchObject({ lines: 5, added: 3, changed: 0, unchanged: 0, refused: 2 });
    expect(counts.errors.map(({ line, field }) => [line, field])).toEqual([
      [2, null],
      [4, 'id'],
    ]);
    expect(seen.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'd']);
    expect(position).toEqual({ commit: 3n, prepare: 3n });
  });

  test('changes nothing when it is run twice, even where the file holds several versions of a record', async () => {
    const { record } = recorder();
    const file = [profileLine('a', 1), profileLine('a', 2), profileLine('b', 1)];
    expect((await importing(lines(...file), record)).counts).toMatchObject({
      added: 2,
      changed: 1,
      unchanged: 0,
    });
    const again = await importing(lines(...file), record);
    expect(again.counts).toMatchObject({ added: 0, changed: 0, unchanged: 3, outdated: 1, refused: 0 });
    expect(again.position).toBeNull();
  });

  test('refuses a version that is stored with other content, by its field', async () => {
    const { record } = recorder(() => ({ ok: false, refusal: 'version-conflict' }));
    const { counts } = await importing(lines(profileLine('a')), record);
    expect(counts).toMatchObject({ refused: 1, errors: [{ line: 1, field: 'version' }] });
  });

  test('keeps the order of one record and a bound on what is in flight', async () => {
    const { record, seen, most } = recorder();
    const ids = ['a', 'b', 'c'];
    const file = Array.from({ length: 120 }, (_, i) => profileLine(ids[i % 3] ?? 'a', Math.floor(i / 3) + 1));
    const many = Array.from({ length: 60 }, (_, i) => profileLine(`other${i}`));
    const { counts } = await importing(lines(...file, ...many), record);
    expect(counts).toMatchObject({ lines: 180, added: 63, changed: 117, outdated: 0 });
    for (const id of ids) {
      const versions = seen.filter((request) => request.id === id).map(({ version }) => version);
      expect(versions).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    }
    expect(most()).toBe(8);
  });

  test('begins records together, as soon as half of those in flight are stored', async () => {
    const waiting: (() => void)[] = [];
    const begun: number[] = [];
    const { record } = recorder();
    const importingAll = importing(
      lines(...Array.from({ length: 20 }, (_, i) => profileLine(`id${i}`))),
      async (request) => {
        await new Promise<void>((go) => waiting.push(go));
        return record(request);
      },
    );
    const store = async (count: number) => {
      for (const go of waiting.splice(0, count)) go();
      for (let i = 0; i < 10; i += 1) await turn();
      begun.push(waiting.length);
    };
    for (const count of [0, 3, 1, 8, 4, 4]) await store(count);
    expect(begun).toEqual([8, 5, 8, 8, 4, 0]);
    expect((await importingAll).counts.added).toBe(20);
  });

  test('never runs ahead of the store: lines are read only as there is room for them', async () => {
    let read = 0;
    let recorded = 0;
    async function* counting() {
      for await (const line of lines(...Array.from({ length: 200 }, (_, i) => profileLine(`id${i}`)))) {
        read += 1;
        expect(read - recorded).toBeLessThanOrEqual(10);
        yield line;
      }
    }
    const { record } = recorder();
    await importing(counting(), async (request) => {
      const outcome = await record(request);
      recorded += 1;
      return outcome;
    });
    expect([read, recorded]).toEqual([200, 200]);
  });

  test('stops when the event store is away, and says where and what was done until then', async () => {
    const { record } = recorder((request) => {
      if (request.id === 'id30') throw new EventStoreUnavailable('away');
      return { ok: true, value: { effect: 'added', position: null } };
    });
    const result = await importing(
      lines(...Array.from({ length: 90 }, (_, i) => profileLine(`id${i}`))),
      record,
    );
    expect(result.stopped?.cause).toBeInstanceOf(EventStoreUnavailable);
    expect(result.stopped?.atLine).toBeLessThan(60);
    expect(result.counts.added).toBeGreaterThanOrEqual(30 - 8);
    expect(result.counts).toMatchObject({ refused: 0 });
  });

  test('refuses the one line whose record breaks something, and goes on', async () => {
    const failures: number[] = [];
    const { record } = recorder(({ id }) => {
      if (id === 'poison') throw new TypeError('a stored event that cannot be read');
      return { ok: true, value: { effect: 'added', position: null } };
    });
    const { counts, stopped } = await runImport({
      input: lines(profileLine('a'), profileLine('poison'), profileLine('b')),
      organizationId: 'ORG',
      schema: profileRecord,
      record,
      onFailure: (line) => failures.push(line),
    });
    expect(stopped).toBeUndefined();
    expect(counts).toMatchObject({ added: 2, refused: 1, errors: [{ line: 2, field: null }] });
    expect(failures).toEqual([2]);
  });

  test('keeps a thousand problems and counts the rest', async () => {
    const { counts } = await importing(lines(...Array.from({ length: 1500 }, () => '{')), recorder().record);
    expect(counts).toMatchObject({ lines: 1500, refused: 1500, errors_left_out: 500 });
    expect(counts.errors).toHaveLength(1000);
  });
});
