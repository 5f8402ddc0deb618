import { EventStoreDBClient } from '@eventstore/db-client';
import { expect, test } from 'vitest';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { until } from '../../src/embedded/until.ts';
import { happened, revisions } from '../../packages/eventstore-node/test/contract/steps.ts';
import { newDataDir, processesOn } from '../lifecycle/processes.ts';
import { runGrantbook } from './run-grantbook.ts';
import { patience } from '../support/patience.ts';

const serve = (dataDir: string, signal: AbortSignal, ...more: readonly string[]) =>
  runGrantbook(['eventstore', '--port', '0', '--data-dir', dataDir, ...more], { signal });
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
});

test('CL-01: grantbook eventstore serves every local client without credentials, says so, and leaves no process', async () => {
  const dataDir = newDataDir();
  const stopping = new AbortController();
  const serving = serve(dataDir, stopping.signal);
  await served(dataDir);
  const url = (await askFacts(dataDir))?.eventStoreUrl ?? '';
  expect(url).toMatch(/^esdb:\/\/127\.0\.0\.1:\d+\?tls=false$/);
  const client = EventStoreDBClient.connectionString(url);
  await client.appendToStream('anybody', happened());
  expect(await revisions(client, 'anybody')).toEqual([0]);
  await client.dispose();
  stopping.abort();
  const { exitCode, stdout, stderr } = await serving;
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('every user of this machine can read this log and append to it');
  expect(processesOn(dataDir)).toEqual([]);
});

test('CL-01: with --json its one document has url, port and data_dir', async () => {
  const dataDir = newDataDir();
  const stopping = new AbortController();
  const serving = serve(dataDir, stopping.signal, '--json');
  await served(dataDir);
  const url = (await askFacts(dataDir))?.eventStoreUrl ?? '';
  stopping.abort();
  const { json, exitCode } = await serving;
  expect(exitCode).toBe(0);
  expect(json).toEqual({ url, port: Number(new URL(url).port), data_dir: dataDir });
});

const served = async (dataDir: string) =>
  expect(await until(async () => Boolean((await askFacts(dataDir))?.eventStoreUrl), patience)).toBe(true);
