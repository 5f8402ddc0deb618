import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { result, writeResults } from '../../bench/results.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the file holds the promised fields and nothing else, also when an aim was missed', () => {
  const file = join(temporaryFolder(onTestFinished), 'latest.json');
  const missed = { ...result('deactivation-1', 63.456, 'ms', 60, 21), note: 'the aim is less than 50' };
  writeResults(file, [missed]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
    { name: 'deactivation-1', value: 63.46, unit: 'ms', ceiling: 21, ratio: 3.022, n: 60 },
  ]);
});
