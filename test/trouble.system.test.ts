import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spawnInstance } from './support/servers/instance.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { expectTrouble } from './support/trouble/expect-trouble.ts';

/** The output of a service in a process of its own, read to its end. */
const loggingAnError = async (): Promise<void> => {
  const program = join(temporaryFolder(onTestFinished), 'service.js');
  writeFileSync(program, `console.log('{"level":50,"msg":"cannot go on"}')`);
  const { stdout } = spawnInstance({}, program);
  await new Promise((resolve) => void stdout?.on('close', () => setImmediate(resolve)));
};

test.fails('FX-84: a test fails in which a process of the service logs an error', async () =>
  expect(await loggingAnError()).toBe(undefined),
);

test('FX-84: a test passes that expects it', async () => {
  expectTrouble(/^error: cannot go on/);
  expect(await loggingAnError()).toBe(undefined);
});
