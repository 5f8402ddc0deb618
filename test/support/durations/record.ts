import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect, type RunnerTask as Task } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';

/**
 * Modules are loaded once for all files, and the OpenAPI document is made once: whichever came first would seem to be slow. Where each
 * file loads its own, it may replace some.
 */
const warmUp = async (): Promise<void> => {
  await import('../../../src/cli/program.ts');
  const { startHttpApp } = await import('../scenes/http-app.ts');
  const http = await startHttpApp();
  await http.app.inject('/health/live');
  await http.close();
};
const warm = globalThis as { isWarm?: true };
// oxlint-disable-next-line vitest/no-standalone-expect -- it knows the file
if (!warm.isWarm && !expect.getState().testPath?.includes('.isolated.')) await warmUp();
warm.isWarm = true;

/** Of this process and of the children that have ended, in seconds; a tick of Linux is 10 ms. */
const cpu = (): number => {
  const file = '/proc/self/stat';
  if (!existsSync(file)) return process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const [, fields = ''] = /.*\) (.*)/.exec(readFileSync(file, 'utf8')) ?? [];
  return (
    fields
      .split(' ')
      .slice(11, 15)
      .reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  );
};

const hasFailed = ({ result, ...task }: Task): boolean =>
  result?.state === 'fail' || ('tasks' in task && task.tasks.some(hasFailed));

const before = { cpu: cpu(), wall: performance.now() / 1000 };

// oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads the text of the first parameter
afterAll(({}, { file }) => {
  if (hasFailed(file)) return; // it may not have come to its end
  const path = relative(packageRoot, file.filepath);
  const duration = { cpu: cpu() - before.cpu, wall: performance.now() / 1000 - before.wall };
  appendFileSync(process.env['GRANTBOOK_DURATIONS'] ?? '', `${JSON.stringify({ path, ...duration })}\n`);
});
