import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { packageRoot, packageVersion } from '../../src/process/package-root.ts';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';

/** At its end a process says what it cost. */
const counting = `--import=data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); process._rawDebug(`cpu ${user + system}`); })",
)}`;

/** The CPU of a command over the API (AP-08) and of Node alone, in turns, with a service that answers at once. */
export const measureCommandLine = async ({ runs }: { readonly runs: number }): Promise<readonly Result[]> => {
  tell(`running a command over the API ${runs} times`);
  const me = { user_id: 'x', name: 'x', roles: ['operator'], expires_at: null, version: packageVersion };
  const answer = JSON.stringify({ ...me, items: [], next: null });
  const service = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer),
  );
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const GRANTBOOK_SERVER = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const env = { PATH: process.env['PATH'], GRANTBOOK_SERVER, GRANTBOOK_TOKEN: 'mkt_admin_x' };
  const command = [join(packageRoot, 'dist/src/cli/grantbook.js'), 'addon', 'list'];
  const [alone, over]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    alone.push(await cpuOf(['-e', '0'], env));
    over.push(await cpuOf(command, env));
  }
  service.close();
  const median = (all: readonly number[]) => percentile(all, 0.5) ?? 0;
  return [
    result('node-alone-cpu', median(alone), 'ms', runs),
    result('command-over-api-cpu', median(over), 'ms', runs, median(alone)),
  ];
};

/** In milliseconds. */
const cpuOf = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const child = spawn(process.execPath, [counting, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')}: ${said}`);
  return Number(/cpu (\d+)/.exec(said)?.[1]) / 1000;
};
