import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '../..');

/** The prelude of a script: a client of its own, and functions that report what happens to it. */
const prelude = (url: string): string => `
import { EventStoreDBClient, jsonEvent, eventTypeFilter } from '@eventstore/db-client';
const url = ${JSON.stringify(url)};
const client = EventStoreDBClient.connectionString(url);
const say = (word) => process.stdout.write(word + '\\n');
const event = (data = { at: 1 }) => jsonEvent({ type: 'AccountDisabled', data, metadata: { v: 1 } });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const fate = (promise, ms = 10_000) => Promise.race([
  promise.then(() => 'resolved', (error) => 'rejected ' + error.constructor.name),
  sleep(ms).then(() => 'pending'),
]);
const broke = new Promise((resolve) => {
  for (const fault of ['unhandledRejection', 'uncaughtException'])
    process.on(fault, () => { say(fault); resolve(); });
});
`;

const run = async (args: readonly string[]): Promise<string[]> => {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, problems] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const words = out.split('\n').filter((line) => line !== '');
  return words.length === 0 && problems !== '' ? [problems] : words;
};

/**
 * Runs a script with the unmodified client in a child process, because many of its bugs break state that a process
 * shares. @returns the reports of the script, in order
 */
export const bareClient = (url: string, script: string): Promise<string[]> =>
  run(['--input-type=module', '--eval', `${prelude(url)}${script}\nprocess.exit(0);`]);

/** The same, but the process must end by itself. */
export const bareClientToItsEnd = (url: string, script: string): Promise<string[]> =>
  run(['--input-type=module', '--eval', `${prelude(url)}${script}`]);

/** Runs a TypeScript file of `test/eventstore/children` in a child process. */
export const runChild = (file: string, ...args: readonly string[]): Promise<string[]> =>
  run(['--import', 'tsx', join(root, 'test/eventstore/children', file), ...args]);
