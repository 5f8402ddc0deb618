import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../../src/embedded/start-embedded.ts';
import { until } from '../../src/embedded/until.ts';
import { closedInAnyCase } from '../closing.ts';
import { freePort } from '../free-port.ts';
import { tell } from '../tell.ts';

const moduleName = 'github.com/ory/hydra/v2';
const version = 'v2.3.0';
const folder = join(tmpdir(), `grantbook-bench-hydra-${version}`);

/**
 * The program, built from its Go module at the first call, which takes minutes.
 * @throws with one line if `go` is missing, or fails
 */
const buildHydra = async (): Promise<string> => {
  const program = join(folder, 'hydra');
  if (existsSync(program)) return program;
  tell(`building Hydra ${version}, once`);
  await mkdir(folder, { recursive: true });
  const found = await go('mod', 'download', '-json', `${moduleName}@${version}`);
  const { Dir: sources } = JSON.parse(found) as { readonly Dir: string };
  for (const kind of ['mod', 'sum'])
    await writeFile(join(folder, `build.${kind}`), await readFile(join(sources, `go.${kind}`)));
  const modFile = join(folder, 'build.mod');
  // It replaces a module with a folder that is not part of what is published.
  await go('mod', 'edit', '-dropreplace=github.com/ory/hydra-client-go/v2', modFile);
  const unfinished = `${program}.${process.pid}`;
  await go('build', '-C', sources, `-modfile=${modFile}`, '-mod=mod', '-o', unfinished, '.');
  await rename(unfinished, program);
  return program;
};

const go = async (...args: readonly string[]): Promise<string> => {
  const running = promisify(execFile)('go', args, { cwd: folder, maxBuffer: 2 ** 26 });
  const stop = closedInAnyCase(() => Promise.resolve(void running.child.kill('SIGINT')));
  try {
    return (await running).stdout;
  } catch (error) {
    const { code, stderr, stdout } = error as NodeJS.ErrnoException & Record<'stderr' | 'stdout', string>;
    const lastWords = stderr.trim().split('\n').at(-1) || stdout.replaceAll(/\s+/g, ' '); // with -json it says there what failed
    throw new Error(code === 'ENOENT' ? 'go is missing' : `go ${args[0]} failed: ${lastWords}`, {
      cause: error,
    });
  } finally {
    await stop();
  }
};

/** Of the public interface, and of the one for the owner. */
export type Addresses = { readonly baseUrl: string; readonly admin: string };

/** Starts it with a PostgreSQL of its own, over plain HTTP. @throws if it cannot be built or started */
export const startHydra = async (): Promise<Addresses> => {
  const program = await buildHydra();
  const dataDir = await mkdtemp(join(tmpdir(), 'grantbook-bench-hydra-data-'));
  closedInAnyCase(() => rm(dataDir, { recursive: true, force: true }));
  const embedded = await startEmbedded({ dataDir, need: { postgres: true, eventStore: false } });
  closedInAnyCase(embedded.close);
  const [port, adminPort] = [await freePort(), await freePort()];
  const [baseUrl, admin] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`];
  const env = {
    PATH: process.env['PATH'],
    DSN: embedded.databaseUrl,
    SERVE_PUBLIC_HOST: '127.0.0.1',
    SERVE_PUBLIC_PORT: String(port),
    SERVE_ADMIN_HOST: '127.0.0.1',
    SERVE_ADMIN_PORT: String(adminPort),
    SERVE_TLS_ENABLED: 'false',
    URLS_SELF_ISSUER: 'https://auth.example',
    URLS_SELF_PUBLIC: baseUrl,
    URLS_LOGIN: `${baseUrl}/never-fetched`,
    URLS_CONSENT: `${baseUrl}/never-fetched`,
    SECRETS_SYSTEM: randomBytes(32).toString('base64url'),
    TTL_ACCESS_TOKEN: '1h',
    TTL_REFRESH_TOKEN: '720h',
    // As with us a client's secret is random, so that one hash is enough; the default is 25,000.
    OAUTH2_HASHERS_PBKDF2_ITERATIONS: '1',
    LOG_LEVEL: 'error',
    SQA_OPT_OUT: 'true',
  };
  await promisify(execFile)(program, ['migrate', 'sql', '-e', '--yes'], { env, maxBuffer: 2 ** 26 });
  const server = spawn(program, ['serve', 'all'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  closedInAnyCase(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const isReady = () =>
    fetch(`${admin}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => server.exitCode !== null || (await isReady()), 60_000);
  if (!(await isReady())) throw new Error('hydra serve has ended, or is not ready after a minute');
  return { baseUrl, admin };
};
