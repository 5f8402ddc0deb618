import { Readable } from 'node:stream';
import { maxLineBytes, LineTooLong, readLines } from '../src/index.ts';
import { expect, test } from 'vitest';

const read = async (...chunks: readonly string[]) => {
  const lines = [];
  for await (const { number, bytes, ended } of readLines(
    Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
  ))
    lines.push([number, bytes.toString(), ended]);
  return lines;
};

test('lines are cut wherever the chunks end, and the last one says whether it was ended', async () => {
  expect(await read('ab', 'c\nd', '\n', '\ne\nf')).toEqual([
    [1, 'abc', true],
    [2, 'd', true],
    [3, '', true],
    [4, 'e', true],
    [5, 'f', false],
  ]);
  expect(await read()).toEqual([]);
});

test('a line may be as long as the format allows, and no longer', async () => {
  const longest = 'x'.repeat(maxLineBytes);
  expect(await read(`${longest}\ny`)).toEqual([
    [1, longest, true],
    [2, 'y', false],
  ]);
  await expect(read(longest, 'x')).rejects.toThrow(LineTooLong);
});
