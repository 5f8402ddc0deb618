import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startTestServers } from '../support/test-servers.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { untilWeDie } from '../support/servers/until-we-die.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const fullDevice = process.platform === 'linux' ? '/dev/full' : null;

const { stores } = await startTestServers(undefined, freshDatabase);

type Output = number | 'pipe';
type Started = { readonly child: ChildProcess; readonly baseUrl: string };

/** @param limit in KiB: no file may become larger, which is what a full disk looks like on the way */
const start = async (stdout: Output, stderr: Output, limit = 'unlimited'): Promise<Started> => {
  const port = String(await freePort());
  const main = join(packageRoot, 'dist/src/main.js');
  const shell = `ulimit -f ${limit} && exec "$0" "$1"`;
  const child = spawn(...untilWeDie('bash', '-c', shell, process.execPath, main), {
    stdio: ['ignore', stdout, stderr],
    env: { PATH: process.env['PATH'], ...sharedSettings(stores), PORT: port, LOG_LEVEL: 'info' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const baseUrl = `http://127.0.0.1:${port}`;
  await expect.poll(() => statusOf(`${baseUrl}/health/ready`)).toBe(200);
  return { child, baseUrl };
};

const statusOf = async (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

/** Each request is a line in the log. */
const makeLines = async ({ baseUrl }: Started, lines: number): Promise<void> => {
  for (let done = 0; done < lines; done += 20)
    await Promise.all(Array.from({ length: 20 }, () => statusOf(`${baseUrl}/nowhere`)));
};

const linesLost = async ({ baseUrl }: Started): Promise<number> => {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^grantbook_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1]);
};

const stop = async ({ child }: Started): Promise<unknown> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return await ended;
};

const newFile = (): { readonly path: string; readonly fd: number } => {
  const path = join(temporaryFolder(onTestFinished), 'grantbook.log');
  const fd = openSync(path, 'a');
  onTestFinished(() => closeSync(fd));
  return { path, fd };
};

test.skipIf(fullDevice === null)(
  'OP-04: with both outputs on a full disk the service starts, answers, counts the lines it lost, and ends with 0',
  async () => {
    const full = openSync(fullDevice ?? '', 'a');
    onTestFinished(() => closeSync(full));
    const service = await start(full, full);
    await expect.poll(() => linesLost(service)).toBeGreaterThan(0);
    expect(await stop(service)).toEqual([0, null]);
  },
);

test('OP-04: a disk that fills up on the way costs lines; with room again the log goes on and says how many', async () => {
  const { path, fd } = newFile();
  const service = await start('pipe', fd, '16');
  await makeLines(service, 100);
  await expect.poll(() => linesLost(service)).toBeGreaterThan(0);
  expect(await statusOf(`${service.baseUrl}/health/ready`)).toBe(200);
  truncateSync(path);
  await makeLines(service, 20);
  expect(await stop(service)).toEqual([0, null]);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const said = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly lines?: number });
  expect(said).toContainEqual(
    expect.objectContaining({
      msg: 'log lines could not be written and were lost',
      lines: expect.any(Number) as number,
    }),
  );
});

test('OP-04: a log that nobody reads any more costs lines', async () => {
  const service = await start('pipe', 'pipe');
  service.child.stderr?.destroy();
  service.child.stdout?.destroy();
  await makeLines(service, 20);
  await expect.poll(() => linesLost(service)).toBeGreaterThan(0);
  expect(await stop(service)).toEqual([0, null]);
});

test('OP-04: a reader of the log that has stopped keeps nobody waiting, and the service ends with 0', async () => {
  const service = await start('pipe', 'pipe'); // and nobody reads
  await makeLines(service, 500); // more than the pipe holds
  expect(await statusOf(`${service.baseUrl}/health/ready`)).toBe(200);
  expect(await stop(service)).toEqual([0, null]);
});
