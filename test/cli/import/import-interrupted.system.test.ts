import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reservationFile } from '../../../bench/import/reservations.ts';
import { connectFrom } from '../../../src/cli/base/connect.ts';
import type { CliService } from '../../../src/cli/base/service.ts';
import { packageRoot } from '../../../src/process/package-root.ts';
import { startLiveService } from '../live-process.ts';
import type { LiveService } from '../live-service.ts';
import { eventsByStream } from '../events-by-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { words } from '../../support/words.ts';
import { serverKilled } from '../../support/trouble/server-killed.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';

allowTrouble(...serverKilled);

const records = 600;
const temporary = mkdtempSync(join(tmpdir(), 'grantbook-import-'));
const fileOf = (name: string, ...versions: readonly [of: number, version: number][]) => {
  const file = join(temporary, name);
  writeFileSync(file, versions.map(([of, version]) => [...reservationFile(of, version)].join('')).join(''));
  return file;
};
const wholeFile = fileOf('whole.ndjson', [records, 1]);
const newerHalf = fileOf('newer-half.ndjson', [records / 2, 2]);

let service: LiveService;
/** The same servers, to look into the log. */
let beside: CliService;

beforeAll(async () => {
  service = await startLiveService();
  beside = await connectFrom({ env: service.env, stderr: process.stderr }).openService('nobody');
});
afterAll(async () => {
  rmSync(temporary, { recursive: true, force: true });
  await beside.close();
  await service.stop();
});

const importing = (file: string, organization: string) =>
  words(`import reservations ${file} --organization ${organization} --json`);
const program = join(packageRoot, 'dist/src/cli/grantbook.js');
const storedOf = (organization: string) => eventsByStream(beside.store, organization);

/** The real program reads two thirds of the file, and gets a signal when a part of that is stored; more never comes. */
const importAndStop = async (organization: string, signal: NodeJS.Signals) => {
  const args = [program, ...importing('-', organization)];
  const child = spawn(process.execPath, args, { env: service.env });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  child.stdin.write([...reservationFile((records / 3) * 2)].join(''));
  await eventually(async () => expect((await storedOf(organization)).size).toBeGreaterThan(records / 6), 50);
  child.kill(signal);
  await once(child, 'exit');
  const [stdout, stderr] = await said;
  const report = stdout === '' ? null : (JSON.parse(stdout) as unknown);
  return { exitCode: child.exitCode, killedBy: child.signalCode, report, stderr };
};

const interrupted = { message: expect.stringMatching(/^Interrupted near line \d+; run it again/) as string };
const counted = (ran: Readonly<Record<string, unknown>>) =>
  ['added', 'changed', 'unchanged', 'refused'].map((name) => ran[name]);

test.each(['SIGINT', 'SIGKILL'] as const)(
  'LI-08: an import that %s ends in the middle is run again, and every record is there once',
  async (signal) => {
    const organization = String(
      (await service.runJson(['organization', 'create', '--name', signal]))['organization_id'],
    );
    const stopped = await importAndStop(organization, signal);
    const stored = (await storedOf(organization)).size;
    expect(stopped).toMatchObject(
      signal === 'SIGKILL'
        ? { killedBy: signal, report: null }
        : { exitCode: 1, report: { added: stored, unchanged: 0, refused: 0, error: interrupted } },
    );
    expect(stored).toBeLessThan(records);

    const again = await service.run(importing(wholeFile, organization));
    expect(again.exitCode).toBe(0);
    expect(counted(again.json)).toEqual([records - stored, 0, stored, 0]);
    const all = await storedOf(organization);
    expect([all.size, Math.max(...all.values())]).toEqual([records, 1]);

    const third = await service.run(importing(wholeFile, organization));
    expect(counted(third.json)).toEqual([0, 0, records, 0]);
    const newer = await service.run(importing(newerHalf, organization));
    expect(counted(newer.json)).toEqual([0, records / 2, 0, 0]);
    const outdated = await service.run(importing(wholeFile, organization));
    expect(counted(outdated.json)).toEqual([0, 0, records, 0]);
    expect(outdated.json).toMatchObject({ outdated: records / 2, visible: true });
    const twice = [...(await storedOf(organization)).values()].filter((events) => events === 2);
    expect(twice).toHaveLength(records / 2);
  },
);

test('FX-46: an import of what another process writes into a pipe ends once that has ended', async () => {
  const organization = String(
    (await service.runJson(['organization', 'create', '--name', 'Pipe']))['organization_id'],
  );
  const words = [process.execPath, program, ...importing('-', organization)].map((word) => `'${word}'`);
  const child = spawn('sh', ['-c', `cat '${wholeFile}' | ${words.join(' ')}`], { env: service.env });
  const [report] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect([child.exitCode, JSON.parse(report)]).toMatchObject([0, { added: records, refused: 0 }]);
});
