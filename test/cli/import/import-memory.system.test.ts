import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { reservationFile } from '../../../bench/import/reservations.ts';
import { runImport } from '../../../src/kafka/import/run-import.ts';
import type { RecordOutcome } from '../../../src/commands/records/record.ts';
import { reservationRecord } from '../../support/documents/record-schemas.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const few = 1_500;
const many = 10 * few;
/** What one kept reference a line would come to, and more than what V8 itself keeps one way or the other. */
const bound = 50 * (many - few);

function* badLines(count: number): Generator<string> {
  for (let line = 0; line < count; line += 1) yield `{"id":"bad ${line}","version":0,"extra${line}":true}\n`;
}

const added: RecordOutcome = { ok: true, value: { effect: 'added', position: null } };

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Imports into nothing, and says what is on the heap when the last line has been read and everything is still held. */
const heapAfter = async (pieces: Iterable<string>) => {
  let heap = 0;
  async function* input() {
    for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
    await turn();
    collectGarbage();
    heap = process.memoryUsage().heapUsed;
  }
  const { counts } = await runImport({
    input: input(),
    organizationId: 'ORG',
    schema: reservationRecord,
    record: () => turn().then(() => added),
    onProgress: () => undefined,
  });
  return { heap, counts };
};

describe('LI-08: an import holds no more of ten times as many lines', () => {
  test.each([
    ['good', reservationFile, { added: many, refused: 0 }],
    ['bad', badLines, { added: 0, refused: many }],
  ] as const)('when they are %s', async (_name, linesOf, counts) => {
    await heapAfter(linesOf(many)); // what is compiled and cached once
    const before = await heapAfter(linesOf(few));
    const after = await heapAfter(linesOf(many));
    expect(after.counts).toMatchObject(counts);
    expect(after.heap - before.heap).toBeLessThan(bound);
  });
});
