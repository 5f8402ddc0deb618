import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { kafkaVersion, whyNoOwnBroker } from '../support/kafka-broker/broker-files.ts';
import { setup } from '../support/kafka-broker/setup.ts';
import { patience } from '../support/patience.ts';
import { untilWeDie } from '../support/servers/until-we-die.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hasMaven = ['java', 'mvn'].every((name) => spawnSync(name, ['-version']).status === 0);

/** A PATH on which there is node, but neither Java nor Maven. */
const bareFolder = () => {
  const folder = temporaryFolder(onTestFinished);
  symlinkSync(process.execPath, join(folder, 'node'));
  return folder;
};

/** A PATH with a Java, and with a Maven that reaches no repository, as it says so itself; nothing was loaded before. */
const withoutRepository = () => {
  const folder = temporaryFolder(onTestFinished);
  const script = (name: string, ...lines: readonly string[]) =>
    writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  script('java', `echo 'openjdk version "17.0.15" 2025-04-15' >&2`);
  script(
    'mvn',
    '[ "$1" = -v ] && exit',
    `echo '[ERROR] Plugin could not be resolved: Connection refused'`,
    'exit 1',
  );
  return { PATH: folder, GRANTBOOK_KAFKA_CACHE: temporaryFolder(onTestFinished) };
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
  start(['node_modules/vitest/vitest.mjs', 'run', 'test/kafka/broker/broker.system.test.ts'], env).ended;

/** What a run does before its first test; a run whose setup rejects fails. */
const startRun = (env: Readonly<Record<string, string>>) => {
  const usual = { ...process.env };
  onTestFinished(() => void Object.assign(process.env, usual));
  for (const name of ['KAFKA_BROKERS', 'GRANTBOOK_KAFKA']) delete process.env[name];
  Object.assign(process.env, env);
  onTestFinished(() => Object.keys(env).forEach((name) => delete process.env[name]));
  const provided = new Map<string, unknown>();
  const project = { provide: (name: string, value: unknown) => void provided.set(name, value) };
  return setup(project as unknown as TestProject).then((end) => ({
    end,
    provided: Object.fromEntries(provided),
  }));
};

/** What a run says at its end. */
const endOf = async ({ end }: Awaited<ReturnType<typeof startRun>>): Promise<string> => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  await end?.();
  return written.mock.calls.flat().join('');
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

  test('are skipped where Maven reaches no repository, and the end of the run says what Maven said', async () => {
    const run = await startRun(withoutRepository());
    expect(run.provided).toEqual({ kafkaBrokers: null, kafkaStartable: false });
    expect(await endOf(run)).toMatch(
      /tests in test\/kafka\/broker were skipped.*Plugin could not be resolved: Connection refused\n.*reachable/,
    );
  });

  test('are skipped where a broker does not start, and the end of the run shows the end of its log', async () => {
    const { PATH, GRANTBOOK_KAFKA_CACHE } = withoutRepository();
    mkdirSync(join(GRANTBOOK_KAFKA_CACHE, `kafka-${kafkaVersion}`)); // an empty one: this Java starts nothing
    const run = await startRun({ PATH: `${PATH}:${process.env['PATH']}`, GRANTBOOK_KAFKA_CACHE });
    expect(run.provided).toEqual({ kafkaBrokers: null, kafkaStartable: false });
    expect(await endOf(run)).toMatch(/were skipped.*the Kafka broker does not start/s);
  });

  test('fail the run where they are required and Maven reaches no repository', async () => {
    const run = startRun({ ...withoutRepository(), GRANTBOOK_KAFKA: 'required' });
    await expect(run).rejects.toThrow('Plugin could not be resolved: Connection refused');
  });

  // Four seconds of a real Maven; above is what comes of its answer.
  test.runIf(hasMaven)(
    'are skipped where the mirror of Maven is out of reach, and its local repository is empty',
    async () => {
      const home = temporaryFolder(onTestFinished);
      mkdirSync(join(home, '.m2'));
      const mirror = '<mirror><id>away</id><mirrorOf>*</mirrorOf><url>http://127.0.0.1:9/</url></mirror>';
      writeFileSync(join(home, '.m2/settings.xml'), `<settings><mirrors>${mirror}</mirrors></settings>`);
      const { code, output } = await runBrokerTest({
        MAVEN_OPTS: `-Duser.home=${home}`,
        GRANTBOOK_KAFKA_CACHE: temporaryFolder(onTestFinished),
      });
      expect(output).toContain('1 skipped');
      expect(output).toMatch(/were skipped.*Maven could not load Apache Kafka.*127\.0\.0\.1:9.*failed/);
      expect(code).toBe(0);
    },
  );

  test('fail the run where GRANTBOOK_KAFKA=required says that they must not be skipped', async () => {
    const run = startRun({ PATH: bareFolder(), GRANTBOOK_KAFKA: 'required' });
    await expect(run).rejects.toThrow('Install Java 17 or later');
  });

  test('fail the run when the broker that they are given cannot be reached', async () => {
    const run = startRun({ KAFKA_BROKERS: '127.0.0.1:9' });
    await expect(run).rejects.toThrow('No broker of KAFKA_BROKERS (127.0.0.1:9) can be reached');
  });
});

test.runIf((await whyNoOwnBroker()) === null)(
  'npm run kafka runs a broker in the foreground until it is asked to end',
  async () => {
    const { child, ended, output } = start(
      ['--import', 'tsx', 'test/support/kafka-broker/main.ts', '--port', '0'],
      {},
    );
    await expect
      .poll(output, { timeout: 3 * patience })
      .toMatch(/use it with KAFKA_BROKERS=127\.0\.0\.1:\d+/);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  },
);
