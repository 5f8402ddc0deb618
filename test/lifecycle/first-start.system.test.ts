import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { settingsFor } from '../operations/running.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { startTestServers } from '../support/test-servers.ts';
import { newDataDir } from './processes.ts';
import { type RunningService, spawnService, startService, stopService } from './service.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

allowTrouble(...serverKilled);

/** As on a busy machine: while the HTTP side is built, the process hears nothing for longer than a leader may be silent. */
const busy = `
  import { subscribe } from 'node:diagnostics_channel';
  subscribe('fastify.initialization', ({ fastify }) =>
    fastify.addHook('onReady', (done) => {
      for (const began = performance.now(); performance.now() < began + 4_000; );
      done();
    }));`;
const onBusyMachine = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(busy)}` };

const failuresIn = (output: string) =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string })
    .filter(({ level, msg }) => level >= 40 || /fail|terminated/i.test(msg));

/** Until every worker of the only instance leads: whichever could have failed by then has had its turn. */
const allLead = ({ baseUrl }: RunningService) => {
  const leading = async () => {
    const { checks } = (await (await fetch(`${baseUrl}/health/ready`)).json()) as { readonly checks: object };
    return Object.values(checks).filter((check) => check === 'leading').length;
  };
  return expect.poll(leading, { interval: 500 }).toBe(9);
};

test('FX-49: a first start on a new database logs no failures', async () => {
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  const service = await startService({
    ...settingsFor(stores),
    LOG_LEVEL: 'info',
    BASE_URL: 'http://127.0.0.1',
  });
  await stopService(service, 'SIGTERM');
  expect(failuresIn(service.output())).toEqual([]);
});

test('FX-38, FX-49: nor does one with embedded servers, on a machine that is busy while the service is built', async () => {
  const service = await startService({ DATA_DIR: newDataDir(), LOG_LEVEL: 'info', ...onBusyMachine });
  await allLead(service);
  expect(failuresIn(service.output())).toEqual([]);
  await stopService(service, 'SIGTERM');
});

test.each(['organizationId', 'userId', 'records'])(
  'FX-38: a first start that is stopped when the demo data have their %s logs no failures',
  async (step) => {
    const dataDir = newDataDir();
    const child = spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
    if (!child.stderr) throw new Error('no output');
    const output = text(child.stderr);
    const file = join(dataDir, 'demo.json');
    const isThere = () => existsSync(file) && readFileSync(file, 'utf8').includes(step);
    await expect.poll(isThere, { interval: 1 }).toBe(true);
    child.kill('SIGTERM');
    expect(failuresIn(await output)).toEqual([]);
    expect(child.signalCode).toBeNull();
  },
);
