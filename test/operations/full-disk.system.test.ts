import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runBeside } from '../cli/live-service.ts';
import { startService, stopService } from '../lifecycle/service.ts';
import { askReadiness } from '../support/scenes/ask-readiness.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

/** A small disk in memory; null where nothing may be mounted. */
const mountSmallDisk = (size: string): string | null => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  chmodSync(folder, 0o755);
  return folder;
};

/** @returns what makes room again */
const fill = (folder: string): (() => void) => {
  const path = join(folder, 'filler');
  const file = openSync(path, 'w');
  const piece = Buffer.alloc(65_536);
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  closeSync(file);
  return () => rmSync(path);
};

test.skipIf(process.getuid?.() !== 0)(
  'OP-05: a data folder that is full is named by readiness, metrics and doctor, and with room the service is ready again by itself',
  async ({ skip }) => {
    const disk = mountSmallDisk('256m');
    if (disk === null) return skip('nothing may be mounted here');
    expectTrouble(/^error: the server does not accept writes .*its disk is full/);
    const settings = { DATA_DIR: join(disk, 'data') };
    const service = await startService(settings);
    const readiness = () => askReadiness(service.baseUrl);
    await expect
      .poll(readiness)
      .toMatchObject({ status: 'ready', checks: { database: 'ok', eventStore: 'ok' } });

    const makeRoom = fill(disk);
    await expect.poll(readiness, { interval: 500 }).toMatchObject({
      status: 'not-ready',
      checks: { database: 'does not accept writes: its disk is full (53100)' },
    });
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toContain('grantbook_server_takes_writes{server="database"} 0');
    const doctor = await runBeside(settings, ['doctor', '--json']);
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout).toContain('its disk is full (53100)');

    makeRoom();
    await expect.poll(readiness, { interval: 500 }).toMatchObject({ status: 'ready' });
    expect(await stopService(service, 'SIGTERM')).toBe(0);
  },
);
