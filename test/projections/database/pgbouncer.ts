import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../support/servers/free-port.ts';
import { serverOf } from '../../support/servers/databases.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';
import { untilWeDie } from '../../support/servers/until-we-die.ts';

/** Debian's, which is not on PATH; null if not installed. */
export const pgbouncer = existsSync('/usr/sbin/pgbouncer') ? '/usr/sbin/pgbouncer' : null;

export type PgBouncer = { readonly url: string; readonly close: () => Promise<void> };

/** A pooler before the server of `databaseUrl`. @param settings of its section `pgbouncer`, one a line */
export const startPgBouncer = async (databaseUrl: string, settings: string): Promise<PgBouncer> => {
  const { user, password, database } = new pg.Client({ connectionString: databaseUrl });
  const way = await startTcpProxy(serverOf(databaseUrl)); // the server's socket is not everybody's
  const [folder, listenPort] = [await mkdtemp(join(tmpdir(), 'grantbook-pooler-')), await freePort()];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
pooled = host=127.0.0.1 port=${way.port} dbname=${database} user=${user} password=${String(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
${settings}
`,
  );
  await chmod(folder, 0o755); // it runs as another user when we are root
  await chmod(file, 0o644);
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(...untilWeDie(String(pgbouncer), '-q', ...asNobody, file), { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const listens = async (): Promise<boolean> => {
    const socket = connect({ host: '127.0.0.1', port: listenPort });
    const is = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return is;
  };
  while (child.exitCode === null && !(await listens())) await new Promise((done) => setTimeout(done, 20));
  return {
    url: `postgresql://pooled@127.0.0.1:${listenPort}/pooled`,
    close: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
      way.cut();
      await way.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
