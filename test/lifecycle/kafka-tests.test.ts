import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { missingForBroker } from '../support/kafka-broker/broker-files.ts';
import { setup } from '../support/kafka-broker/setup.ts';
import { untilWeDie } from '../support/until-we-die.ts';

const isSlow = process.env['GRANTBOOK_SLOW_TESTS'] !== undefined;

/** A PATH on which there is node, but neither Java nor Maven. */
const bareFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-bare-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
};

const start = (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const [program, all] = untilWeDie(process.execPath, ...args);
  const { KAFKA_BROKERS: _brokers, GRANTBOOK_KAFKA: _kafka, ...rest } = process.env;
  const child = spawn(program, all, { cwd: packageRoot, env: { ...rest, ...env }, stdio: 'pipe' });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, ended, output: () => output };
};

const runBrokerTest = (env: Readonly<Record<string, string>>) =>
  start(['node_modules/vitest/vitest.mjs', 'run', 'test/kafka/broker/broker.test.ts'], env).ended;

/** What a run does before its first test; a run whose setup rejects fails. */
const startRun = (env: Readonly<Record<string, string>>) => {
  const usual = { ...process.env };
  onTestFinished(() => void Object.assign(process.env, usual));
  for (const name of ['KAFKA_BROKERS', 'GRANTBOOK_KAFKA']) delete process.env[name];
  Object.assign(process.env, env);
  onTestFinished(() => Object.keys(env).forEach((name) => delete process.env[name]));
  return setup({ provide: () => undefined } as unknown as TestProject);
};

describe('the Kafka tests', () => {
  test('are skipped where there is no Java, and the end of the run says how to run them', async () => {
    const { code, output } = await runBrokerTest({ PATH: bareFolder() });
    expect(output).toContain('1 skipped');
    expect(output).toMatch(
      /tests in test\/kafka\/broker were skipped.*Install Java 17 or later.*openjdk-17-jre-headless.*npx vitest run test\/kafka\/broker/,
    );
    expect(code).toBe(0);
  });

  test('fail the run where GRANTBOOK_KAFKA=required says that they must not be skipped', async () => {
    const run = startRun({ PATH: bareFolder(), GRANTBOOK_KAFKA: 'required' });
    await expect(run).rejects.toThrow('Install Java 17 or later');
  });

  test('fail the run when the broker that they are given cannot be reached', async () => {
    const run = startRun({ KAFKA_BROKERS: '127.0.0.1:9' });
    await expect(run).rejects.toThrow('No broker of KAFKA_BROKERS (127.0.0.1:9) can be reached');
  });
});

const missing = await missingForBroker();

test.runIf(isSlow && missing.length === 0)(
  'npm run kafka runs a broker in the foreground until it is told to end',
  async () => {
    const { child, ended, output } = start(
      ['--import', 'tsx', 'test/support/kafka-broker/main.ts', '--port', '0'],
      {},
    );
    await expect.poll(output, { timeout: 30_000 }).toMatch(/use it with KAFKA_BROKERS=127\.0\.0\.1:\d+/);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  },
);
