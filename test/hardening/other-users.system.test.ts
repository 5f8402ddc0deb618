import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import type { Attempts, Outcomes } from './children/intruder.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

expectTrouble(/event PasswordSet at intruder-1@0 is refused/);

const intruder = fileURLToPath(new URL('children/intruder.ts', import.meta.url));
const STRANGER = 12_345;
const NOBODY = 65_534;

/** Why these users cannot be played here; null where they can. */
const reason = ((): string | null => {
  if (process.getuid?.() !== 0) return 'only root can act as other users';
  const check = ['-c', 'test -r "$1" && test -x "$2"', 'sh', intruder, process.execPath];
  const canEnter = spawnSync('/bin/sh', check, { uid: STRANGER, gid: STRANGER }).status === 0;
  return canEnter ? null : 'other users may not enter the folder of the project';
})();

const root = mkdtempSync(join(tmpdir(), 'grantbook-hardening-'));
const dataDir = join(root, 'data');
let service: Instance;
let urls: { readonly databaseUrl: string; readonly eventStoreUrl: string };

beforeAll(async () => {
  chmodSync(root, 0o755);
  service = await readyInstance(spawnInstance({ DATA_DIR: dataDir }));
  const { databaseUrl = '', eventStoreUrl = '' } = (await askFacts(dataDir)) ?? {};
  urls = { databaseUrl, eventStoreUrl };
});
afterAll(async () => {
  await endInstance(service, 'SIGTERM');
  rmSync(root, { recursive: true, force: true, maxRetries: 20 });
});

/** Everything that is there, seen by the owner. */
const everything = (): readonly string[] => [
  dataDir,
  ...readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name)),
];

const attempt = async (tried: Partial<Attempts>, uid?: number): Promise<Outcomes> => {
  const child = spawn(process.execPath, ['--import', 'tsx', intruder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const none: Attempts = {
    connections: [],
    databases: [],
    paths: [],
    controlSocket: join(dataDir, 'control.sock'),
  };
  child.stdin.end(JSON.stringify({ ...none, ...tried }));
  return JSON.parse(await text(child.stdout)) as Outcomes;
};

/** As the reproduction had it, and with the database's password known and not known. */
const asAStranger = (): Attempts => ({
  connections: [`esdb://${new URL(urls.eventStoreUrl).host}?tls=false`],
  databases: [urls.databaseUrl, withoutPassword(urls.databaseUrl)],
  paths: everything(),
  controlSocket: join(dataDir, 'control.sock'),
});

const withoutPassword = (url: string): string => url.replace(/:[^:@/]+@/, '@');

describe('CL-01: an embedded service and other users of the machine', () => {
  test.for([STRANGER, NOBODY])(
    'user %d reads no event, appends none, reaches no database, reads no file and gets nothing',
    async (uid, { skip }) => {
      if (reason !== null) return skip(reason);
      const { log, databases, readable, facts } = await attempt(asAStranger(), uid);
      expect(log).toHaveLength(2);
      expect(log.filter((outcome) => outcome === 'done')).toEqual([]);
      expect(databases).toEqual([expect.stringContaining('EACCES'), expect.stringContaining('EACCES')]);
      expect(readable).toEqual([]);
      expect(facts).toBe('EACCES');
    },
  );

  test('processes of the same user, or root, use what the control socket says, and nothing less', async () => {
    const { host, search } = new URL(urls.eventStoreUrl);
    const { log, databases, readable, facts } = await attempt({
      connections: [urls.eventStoreUrl, `esdb://${host}${search}`, `esdb://grantbook:guess@${host}${search}`],
      databases: [
        urls.databaseUrl,
        urls.databaseUrl.replace('/grantbook?', '/grantbook_log?'),
        withoutPassword(urls.databaseUrl),
        urls.databaseUrl.replace(/:[^:@/]+@/, ':guess@'),
      ],
      paths: [dataDir],
    });
    expect(log).toEqual(['done', 'done', ...Array.from({ length: 4 }, () => 'AccessDeniedError 16')]);
    expect(databases.slice(0, 2)).toEqual(['done', 'done']);
    expect(databases.slice(2).filter((outcome) => outcome === 'done')).toEqual([]);
    expect(readable).toEqual([dataDir]);
    expect(JSON.parse(facts)).toEqual({ pid: service.child.pid, baseUrl: service.baseUrl, ...urls });
  });

  test('the control socket is for its owner, and the folder lets nobody list it', () => {
    expect(statSync(join(dataDir, 'control.sock')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o067).toBe(0);
  });
});
