import { describe, expect, test } from 'vitest';
import { readLines } from '../../../src/kafka/import/read-lines.ts';
import { maxRecordBytes } from '../../../src/kafka/records/parse-record.ts';

// oxlint-disable-next-line typescript/require-await -- a stream of chunks
async function* chunksOf(bytes: Buffer, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const linesOf = async (input: string | Buffer, chunkSize = 7) => {
  const lines = [];
  for await (const together of readLines(chunksOf(Buffer.from(input), chunkSize)))
    for (const line of together)
      lines.push('text' in line ? [line.number, line.text] : [line.number, { problem: line.problem }]);
  return lines;
};

describe('lines of an import', () => {
  test('end with LF, with CRLF or with the file, and keep their numbers over blank ones', async () => {
    expect(await linesOf('first\r\n\n  \nfourth\nlast')).toEqual([
      [1, 'first'],
      [4, 'fourth'],
      [5, 'last'],
    ]);
  });

  test('are the same however the bytes are cut into chunks, also within a character', async () => {
    const input = '{"name":"Žofie 🗝"}\r\n{"name":"次"}\n\nend\n';
    const whole = await linesOf(input, 1000);
    for (const size of [1, 2, 3, 5, 8, 13]) expect(await linesOf(input, size)).toEqual(whole);
    expect(whole).toEqual([
      [1, '{"name":"Žofie 🗝"}'],
      [2, '{"name":"次"}'],
      [4, 'end'],
    ]);
  });

  test('lose a byte order mark at the beginning of the file, and only there', async () => {
    expect(await linesOf('\uFEFFone\n\uFEFFtwo')).toEqual([
      [1, 'one'],
      [2, '\uFEFFtwo'],
    ]);
  });

  test('that are not UTF-8 are named and do not stop the rest', async () => {
    const input = Buffer.concat([
      Buffer.from('one\n'),
      Buffer.from([0x22, 0xc3, 0x28, 0x0a]),
      Buffer.from('three'),
    ]);
    expect(await linesOf(input)).toEqual([
      [1, 'one'],
      [2, { problem: 'the line is not valid UTF-8' }],
      [3, 'three'],
    ]);
  });

  test('that are longer than 256 KiB are named, the longest allowed one is read', async () => {
    const longest = 'x'.repeat(maxRecordBytes);
    expect(await linesOf(`${longest}\n${longest}x\nafter`, 64 * 1024)).toEqual([
      [1, longest],
      [2, { problem: 'the line is longer than 256 KiB' }],
      [3, 'after'],
    ]);
  });

  test('of any length take bounded memory', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    // oxlint-disable-next-line typescript/require-await -- a stream of chunks
    async function* endless() {
      for (let mebibytes = 0; mebibytes < 512; mebibytes += 1) yield chunk;
    }
    const lines = [];
    for await (const together of readLines(endless())) lines.push(...together);
    expect(lines).toEqual([
      { number: 1, problem: 'the line is longer than 256 KiB', endsAtByte: 512 * 1024 * 1024 },
    ]);
  });
});
