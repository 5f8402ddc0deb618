import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { commandLine } from '../../packages/eventstore-node/src/postgres/processes.ts';
import { roomyFolder } from '../support/servers/roomy-folder.ts';

/** A data folder that does not exist yet, in memory where there is some. */
export const newDataDir = (): string => dataDirUntil(onTestFinished);

/** The same for all tests of a file whose subject is no first start, which costs more than any other. */
export const dataDirOfFile = (): string => dataDirUntil(afterAll);

function dataDirUntil(whenDone: (remove: () => void) => void): string {
  const parent = mkdtempSync(join(roomyFolder(), 'grantbook-life-'));
  chmodSync(parent, 0o755);
  whenDone(() => rmSync(parent, { recursive: true, force: true, maxRetries: 20 }));
  return join(parent, 'data');
}

/** Processes that name this folder on their command line or in their environment: a service's own and its children. */
export function processesOn(dataDir: string): readonly string[] {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  const names = [dataDir, encodeURIComponent(dataDir)]; // the node is told in a URL
  return pids
    .map((pid) => ({ pid, told: `${commandLine(pid)} ${environmentOf(pid)}` }))
    .filter(({ told }) => names.some((name) => told.includes(name)))
    .map(({ pid }) => `${pid} ${commandLine(pid)}`);
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // gone, or not ours
  }
}
