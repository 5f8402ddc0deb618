import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/**
 * A new folder, removed after the tests of the file.
 * @param atTheEnd `onTestFinished` for that of one test
 */
export const temporaryFolder = (atTheEnd: (remove: () => void) => void = afterAll): string => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-test-'));
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
