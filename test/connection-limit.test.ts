import { expect, test } from 'vitest';
import { connectionLimit } from '../src/process/open-file-limit.ts';
import { quietLogger } from './support/quiet-logger.ts';

test.each([
  [1_024, 768],
  [300, 150],
  [11_000, 10_744],
  [1_048_576, 16_000],
  [Infinity, 16_000],
])('DO-01: of %d open files %d connections of clients by default, so that files are left', (files, limit) => {
  expect(connectionLimit(null, quietLogger(), files)).toBe(limit);
});

test('DO-01: MAX_CONNECTIONS may be lower than that, or higher than the default where files allow it', () => {
  expect(connectionLimit(20, quietLogger(), 1_024)).toBe(20);
  expect(connectionLimit(50_000, quietLogger(), 100_000)).toBe(50_000);
});

test('DO-01: a setting that the files do not allow is lowered, and said', () => {
  const logger = quietLogger();
  expect(connectionLimit(2_000, logger, 1_024)).toBe(768);
  expect(logger.lines).toEqual([
    expect.objectContaining({ level: 'warn', context: { wanted: 2_000, possible: 768, openFiles: 1_024 } }),
  ]);
});
