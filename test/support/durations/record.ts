import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';

// Modules are loaded once for all files: whichever came first would seem to be slow.
await import('../scenes/http-app.ts');
await import('../../../src/cli/program.ts');

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

const before = { cpu: cpu(), wall: performance.now() / 1000 };

// oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads the text of the first parameter
afterAll(({}, { file }) => {
  const path = relative(packageRoot, file.filepath);
  const duration = { cpu: cpu() - before.cpu, wall: performance.now() / 1000 - before.wall };
  appendFileSync(process.env['GRANTBOOK_DURATIONS'] ?? '', `${JSON.stringify({ path, ...duration })}\n`);
});
