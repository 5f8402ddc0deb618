import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLiveService, type LiveService } from '../cli/live-service.ts';

let service: LiveService;
beforeAll(async () => {
  service = await startLiveService();
});
afterAll(() => service.stop());

const demo = async (env: NodeJS.ProcessEnv) => {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, '../../demo/main.ts')],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, exitCode: child.exitCode };
};

test('the demo tells the whole story against the service that runs, and shows no secret', async () => {
  const { stdout, stderr, exitCode } = await demo(service.env);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`Grantbook at ${service.baseUrl}\n`);
  expect(stdout).toContain('60 access rights, each exactly once.');
  expect(stdout).toContain('← 401 addon-deactivated');
  expect(stdout).toContain('← 400 invalid_grant');
  expect(stdout).toContain('Every step did what it says.');
  expect(stdout).not.toMatch(/mkt_[a-z]+_[\w-]{12}/);
});

test('the demo ends with 1 and names the step that did something else than it says', async () => {
  const file = join(String(service.env['DATA_DIR']), 'demo.json');
  const right = readFileSync(file, 'utf8');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(right) as object), password: 'not the password' }));
  try {
    const { stdout, exitCode } = await demo(service.env);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('step 1 (The administrator signs in) failed');
    expect(stdout).not.toContain('\n2. ');
  } finally {
    writeFileSync(file, right);
  }
});

test('the demo does not begin where it must not make people up', async () => {
  const { stderr, exitCode } = await demo({ ...service.env, NODE_ENV: 'production' });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('The demo could not begin');
});

test('the demo starts a service of its own where none runs, and leaves nothing behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'grantbook-demo-test-'));
  chmodSync(temporary, 0o711);
  try {
    const env = { PATH: process.env['PATH'], TMPDIR: temporary, DATA_DIR: join(temporary, 'nobody') };
    const { stdout, stderr, exitCode } = await demo(env);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain('No service runs here');
    expect(stdout).toContain('Every step did what it says.');
    expect(readdirSync(temporary).filter((name) => name.startsWith('grantbook'))).toEqual([]);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});
