import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newKey } from '../exports.ts';
import { damages, jwks, keysFile, whole } from './vector.ts';

const script = join(packageRoot, 'docs/examples/verify-export.py');
const temporary = temporaryFolder();

/** Itself, not what chooses between several of them. */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
if (python.error && process.env['GRANTBOOK_PYTHON'] === 'required')
  throw new Error('python3 is missing: GRANTBOOK_PYTHON=required needs it (Debian: apt-get install python3)');
if (python.error) process.stderr.write('python3 is missing: the second verifier of exports is not tried\n');

describe.skipIf(python.error)('the second verifier, in Python', () => {
  const check = (content: Buffer, ...more: readonly string[]) => {
    const damaged = join(temporary, 'export.ndjson');
    writeFileSync(damaged, content);
    const { status, stdout, stderr } = spawnSync(python.stdout.trim(), [script, damaged, ...more], {
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };

  test('agrees with the vector, and says whose signature it is', async () => {
    const { kid } = jwks().keys[0] as unknown as { kid: string };
    expect(check(whole(), keysFile)).toEqual({
      status: 0,
      said: expect.stringMatching(`${kid}\n$`) as string,
    });
    expect(check(whole())).toEqual({ status: 0, said: expect.stringContaining('whoever that is') as string });
    const other = join(temporary, 'other.json');
    writeFileSync(other, JSON.stringify((await newKey()).jwks));
    expect(check(whole(), other)).toEqual({
      status: 1,
      said: expect.stringContaining('not among') as string,
    });
  });

  test('names the first wrong line', () => {
    const content = Buffer.from(whole().toString().replace('\n{"chain":"', '\n{"chain":"0'));
    expect(check(content).said).toMatch(/^wrong at line 2: /);
  });

  test.each(damages)('refuses a file with %s, as ours does', (_, damaged) => {
    expect(check(damaged(), keysFile)).toEqual({
      status: 1,
      said: expect.stringMatching(/^wrong(?: at line \d+)?: /) as string,
    });
  });
});
