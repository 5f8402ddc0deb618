import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { asAdmin } from '../../../packages/eventstore-node/test/support/databases.ts';
import { databaseChecks } from '../../../src/cli/doctor/database.ts';
import { reachDatabase } from '../../../src/process/start-checks.ts';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { listening } from '../../support/servers/serve.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { pgbouncer, startPgBouncer } from './pgbouncer.ts';

const database = await migratedDatabase();
afterAll(() => database.drop());

const sessionsSaid = async (url: string) => {
  const check = databaseChecks(url).find((each) => each.check === 'sessions of the database');
  return await check?.run();
};

const full =
  /^the server of DATABASE_URL cannot be reached \(53300\): it has no free connection: .*DATABASE_SESSIONS/;

test('FX-71: a server without a pooler keeps its sessions, and one that is full is named as that', async () => {
  await expect(reachDatabase(database.url)).resolves.toBeUndefined();
  expect(await sessionsSaid(database.url)).toMatchObject({ state: 'ok' });
  const [role, url] = [`few_${process.pid}`, new URL(database.url)];
  await asAdmin((admin) => admin.query(`create role ${role} login password 'secret' connection limit 0`));
  onTestFinished(() => asAdmin(async (admin) => void (await admin.query(`drop role ${role}`))));
  [url.username, url.password] = [role, 'secret'];
  await expect(reachDatabase(url.href)).rejects.toThrow(full);
});

describe.skipIf(pgbouncer === null)('behind PgBouncer', () => {
  const start = async (settings: string) => {
    const pooler = await startPgBouncer(database.url, settings);
    onTestFinished(() => pooler.close());
    return pooler.url;
  };

  test('FX-71: a pool of sessions is as good as the server', async () => {
    const url = await start('pool_mode = session');
    await expect(reachDatabase(url)).resolves.toBeUndefined();
    expect(await sessionsSaid(url)).toMatchObject({ state: 'ok' });
  });

  test.each(['transaction', 'statement'])(
    'FX-71: a pool of %ss stops the start, and doctor names it',
    async (mode) => {
      const url = await start(`pool_mode = ${mode}`);
      await expect(reachDatabase(url)).rejects.toThrow(
        /^DATABASE_URL leads to a pooler that keeps no sessions, such as PgBouncer in transaction mode: .*pool_mode=session/,
      );
      expect(await sessionsSaid(url)).toMatchObject({
        state: 'failure',
        found: expect.stringContaining('PgBouncer in transaction mode') as string,
      });
    },
  );

  test('FX-71: a pooler that takes no more connections, and one whose pool is full, are named as that', async () => {
    const url = await start('pool_mode = session\nmax_client_conn = 1');
    await expect(reachDatabase(url)).rejects.toThrow(full);
    const small = await start('pool_mode = session\ndefault_pool_size = 1\nquery_wait_timeout = 1');
    await expect(reachDatabase(small)).rejects.toThrow(full);
  });
});

test('FX-75: a certificate that nobody vouches for is answered with the setting that names its authority', async () => {
  const { server: identity } = await makeCertificates();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S'); // to the client's SSLRequest
      new TLSSocket(socket, { isServer: true, cert: identity.cert, key: identity.key }).on(
        'error',
        () => undefined,
      );
    });
  });
  const port = await listening(server);
  const reaching = reachDatabase(`postgresql://one@127.0.0.1:${port}/one?sslmode=require`);
  await expect(reaching).rejects.toThrow(
    /cannot be reached \([A-Z_]+\): nobody known here vouches for its certificate: .* sslrootcert=/,
  );
});
