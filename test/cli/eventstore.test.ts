import { expect, test } from 'vitest';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { until } from '../../src/embedded/processes.ts';
import { newDataDir, processesOn } from '../lifecycle/processes.ts';
import { runGrantbook } from './run-grantbook.ts';

const serve = (dataDir: string, signal: AbortSignal) =>
  runGrantbook(['eventstore', '--port', '0', '--data-dir', dataDir], { signal });
const database = (dataDir: string) => processesOn(dataDir).find((line) => line.includes('/postgres -D'));

test('grantbook eventstore stops with 1 and says why when its database dies', async () => {
  const dataDir = newDataDir();
  const serving = serve(dataDir, new AbortController().signal);
  await served(dataDir);
  process.kill(Number(database(dataDir)?.split(' ')[0]), 'SIGKILL');
  const { exitCode, stdout, stderr } = await serving;
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^ready esdb:/);
  expect(stderr).toBe('Failed: the embedded PostgreSQL has ended; a new start recovers\n');
}, 60_000);

test('grantbook eventstore stops with 0 when it is told to, and leaves no process', async () => {
  const dataDir = newDataDir();
  const stopping = new AbortController();
  const serving = serve(dataDir, stopping.signal);
  await served(dataDir);
  stopping.abort();
  expect(await serving).toMatchObject({ exitCode: 0, stderr: '' });
  expect(processesOn(dataDir)).toEqual([]);
}, 60_000);

const served = async (dataDir: string) =>
  expect(await until(async () => Boolean((await askFacts(dataDir))?.eventStoreUrl))).toBe(true);
