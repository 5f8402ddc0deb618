import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';

const program = join(packageRoot, 'dist/src/cli/grantbook.js');

test.skipIf(!existsSync('/dev/full'))(
  'an answer that cannot be written is one sentence and exit code 1, without a stack trace',
  async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const child = spawn(process.execPath, [program, '--version'], { stdio: ['ignore', full, 'pipe'] });
    const [said] = await Promise.all([
      text(child.stderr as NonNullable<typeof child.stderr>),
      once(child, 'exit'),
    ]);
    expect([child.exitCode, said]).toEqual([
      1,
      'The answer could not be written to standard output (ENOSPC); what the command did stays done.\n',
    ]);
  },
);

test('a reader of standard error that ends early ends no command', async () => {
  const child = spawn(process.execPath, [program, 'doctor', 'extra']);
  child.stderr.destroy();
  await once(child, 'exit');
  expect(child.exitCode).toBe(2);
});
