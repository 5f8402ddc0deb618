import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '#eventstore-node/postgres';
import { until } from '../../src/embedded/until.ts';
import { closedInAnyCase } from '../closing.ts';
import { freePort } from '../free-port.ts';
import { tell } from '../tell.ts';

const version = '26.7.3';
const startMs = 300_000;

/**
 * Starts Keycloak in production mode on a PostgreSQL of its own, both as children of this process. The first call fetches the
 * distribution with Maven and builds it in the system's temporary folder, where the next one finds it.
 * @returns its URL
 * @throws in one sentence if it cannot be fetched or does not start
 */
export const startKeycloak = async (admin: {
  readonly username: string;
  readonly password: string;
}): Promise<string> => {
  const program = await builtKeycloak();
  const { port: databasePort, password } = await startDatabase();
  const port = await freePort();
  const options = [
    `--db-url=jdbc:postgresql://127.0.0.1:${databasePort}/postgres`,
    '--db-username=grantbook',
    '--cache=local',
    '--http-enabled=true',
    '--http-host=127.0.0.1',
    `--http-port=${port}`,
    '--hostname-strict=false',
    '--log-level=warn',
  ];
  const server = spawn(program, ['start', '--optimized', ...options], {
    stdio: ['ignore', 2, 2], // the one line of our standard output says where it is
    env: {
      ...process.env,
      JAVA_OPTS_KC_HEAP: '-Xms512m -Xmx1g',
      KC_DB_PASSWORD: password,
      KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
    },
  });
  const ended = once(server, 'exit');
  closedInAnyCase(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${baseUrl}/realms/master`).then(
      ({ ok }) => ok,
      () => false,
    );
  const started = until(answers, startMs);
  if (!(await Promise.race([started, ended.then(() => false)])))
    throw new Error(`Keycloak ${version} did not start`);
  return baseUrl;
};

const builtKeycloak = async (): Promise<string> => {
  const folder = join(tmpdir(), `grantbook-bench-keycloak-${version}`);
  const program = join(folder, `keycloak-${version}/bin/kc.sh`);
  const built = join(folder, '.built-for-bench');
  if (existsSync(built)) return program;
  tell(`fetching and building Keycloak ${version} in ${folder}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
  const unpack = ['dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  await run('mvn', ['-B', '-q', ...unpack], folder);
  await run(program, ['build', '--db=postgres'], folder);
  await writeFile(built, '');
  return program;
};

const run = async (command: string, args: readonly string[], cwd: string): Promise<void> => {
  const running = promisify(execFile)(command, args, { cwd });
  const end = closedInAnyCase(() => Promise.resolve(void running.child.kill()));
  try {
    await running;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & Partial<Record<string, string>>;
    const lines = [stdout, stderr, message].join('\n').split('\n').filter(Boolean);
    const why = lines.find((line) => /error/i.test(line)) ?? lines[0];
    throw new Error(`Keycloak ${version} needs mvn, and Java 17 or later: ${why}`, {
      cause: error,
    });
  } finally {
    await end();
  }
};

/** The durability is PostgreSQL's default. Our own service reaches it by a socket, which Java's driver cannot. */
const startDatabase = async (): Promise<{ readonly port: number; readonly password: string }> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'grantbook-bench-keycloak-data-'));
  closedInAnyCase(() => rm(dataDir, { recursive: true, force: true }));
  await chmod(dataDir, 0o711); // PostgreSQL may need to pass through as another user
  const port = await freePort();
  const settings = { listen_addresses: '127.0.0.1', port: String(port) };
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), settings });
  closedInAnyCase(postgres.close);
  return { port, password: new URL(postgres.url('postgres')).password };
};
