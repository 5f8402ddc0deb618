import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { untilWeDie } from '../../support/servers/until-we-die.ts';

const script = fileURLToPath(new URL('hold-postgres.ts', import.meta.url));

/** A process of its own that holds an embedded server; killed, if need be, when the test ends. */
export async function holdPostgres(
  dataDir: string,
  { uid }: { uid?: number } = {},
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(...untilWeDie(process.execPath, '--import', 'tsx', script, dataDir), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (typeof line[0] !== 'string') throw new Error(`the holder ended with ${line[0]}`);
  return { child, url: line[0] };
}
