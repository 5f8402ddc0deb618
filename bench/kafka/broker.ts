import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../src/process/package-root.ts';
import { closedInAnyCase } from '../closing.ts';

export type BenchBroker = { readonly brokers: string; close(): Promise<void> };

/** Starts a broker as the tests do; null, with a message, if that is impossible. */
export const startBenchBroker = async (): Promise<BenchBroker | null> => {
  const script = join(packageRoot, 'test/support/kafka-broker/main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, '--port', '0'], {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const first = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line));
  const said = await Promise.race([first, ended.then(() => '')]);
  const brokers = /KAFKA_BROKERS=(\S+)/.exec(said)?.[1];
  if (brokers === undefined) return null;
  return {
    brokers,
    close: closedInAnyCase(async () => {
      child.kill('SIGTERM');
      await ended;
    }),
  };
};
