import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { tellDemo } from '../../demo/tell-demo.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startLiveService } from '../cli/live-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What `npm run demo` runs: from the sources everything would be compiled anew, as the loader keeps it in TMPDIR. */
const built = join(packageRoot, 'dist/demo/main.js');

const service = await startLiveService();
afterAll(() => service.stop());

/** Tells the demo in this process. */
const tell = async (env: NodeJS.ProcessEnv) => {
  const lines: string[] = [];
  const isTrue = await tellDemo(env, (line) => lines.push(line));
  return { isTrue, text: lines.join('\n') };
};

test('the demo tells the whole story against the service that runs, and shows no secret (SG-02, SG-07, SG-08)', async () => {
  const { isTrue, text: said } = await tell(service.env);
  expect(said).toContain(`Grantbook at ${service.baseUrl}\n`);
  expect(said).toMatch(
    /← 200 organization "Harbour House", until \S+, for the lists profiles, access-rights/,
  );
  expect(said).toContain('60 access rights, each exactly once.');
  expect(said).toContain('← 401 addon-deactivated');
  expect(said).toContain('← 400 invalid_grant');
  expect(said.match(/verification, with the same state/g)).toHaveLength(2);
  expect(said.match(/held the SET \d+ ms after the administrator's receipt/g)).toHaveLength(2);
  expect(said).not.toContain('failed');
  expect(isTrue).toBe(true);
  expect(said).not.toMatch(/mkt_[a-z]+_[\w-]{12}/);
});

test('the demo ends at the step that does something else than it says, and names it', async () => {
  const file = join(String(service.env['DATA_DIR']), 'demo.json');
  const right = readFileSync(file, 'utf8');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(right) as object), password: 'not the password' }));
  try {
    const { isTrue, text: said } = await tell(service.env);
    expect(isTrue).toBe(false);
    expect(said).toContain('step 1 (The administrator signs in) failed');
    expect(said).not.toContain('\n2. ');
  } finally {
    writeFileSync(file, right);
  }
});

test('the demo does not begin in production, where it must not make people up', async () => {
  const production = {
    NODE_ENV: 'production',
    BASE_URL: 'https://grantbook.example',
    TOKEN_KEYS: `k1:${'A'.repeat(43)}`,
    PERSONAL_DATA_KEYS: `k1:${'A'.repeat(43)}`,
    EVENTSTORE_URL: 'esdb://127.0.0.1:9',
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none',
  };
  await expect(tell(production)).rejects.toThrow('not where NODE_ENV is production');
});

test('npm run demo starts a service of its own where none runs, and leaves nothing behind', async () => {
  const temporary = temporaryFolder(onTestFinished);
  chmodSync(temporary, 0o711);
  const env = { PATH: process.env['PATH'], TMPDIR: temporary, DATA_DIR: join(temporary, 'nobody') };
  if (!existsSync(built)) throw new Error('the demo is not built: npm run build');
  const child = spawn(process.execPath, [built], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect([child.exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('No service runs here');
  expect(stdout).toContain('All steps succeeded.');
  expect(readdirSync(temporary).filter((name) => name.startsWith('grantbook'))).toEqual([]);
});
