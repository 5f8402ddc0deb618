import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROLE } from './cluster.ts';
import { exited, launch, type Launcher } from './launch.ts';
import { newPassword } from './password.ts';

/**
 * Sets a new password for the role of a stopped cluster, and requires it for every connection, whatever was allowed.
 * @returns the password
 * @throws with the server's message if it cannot be set
 */
export async function requirePassword(
  launcher: Launcher,
  { cluster, durable }: { readonly cluster: string; readonly durable: boolean },
): Promise<string> {
  const { text, verifier } = newPassword();
  await closeDoors(launcher, cluster);
  await runAlone(launcher, cluster, durable, `alter role ${ROLE} password '${verifier}';\n`);
  return text;
}

/** Requires a password for every connection, and refuses remote ones regardless of `listen_addresses`. */
const RULES = [
  '# Written by Grantbook at each start.',
  'local all,replication all scram-sha-256',
  'host all all 127.0.0.1/32 scram-sha-256',
  'host all all ::1/128 scram-sha-256',
  '',
].join('\n');

async function closeDoors({ runAs: { owner } }: Launcher, cluster: string): Promise<void> {
  const path = join(cluster, 'pg_hba.conf');
  await writeFile(path, RULES, { mode: 0o600 });
  await chmod(path, 0o600);
  if (owner) await chown(path, owner.uid, owner.gid);
}

/** Single-user mode: no socket, no other session, no authentication. After a crash it performs recovery first. */
async function runAlone(launcher: Launcher, cluster: string, durable: boolean, sql: string): Promise<void> {
  const settings = ['exit_on_error=on', ...(durable ? [] : ['fsync=off'])].flatMap((one) => ['-c', one]);
  const args = ['--single', '-D', cluster, ...settings, 'postgres'];
  const child = launch(launcher, launcher.binaries.postgres, args, 'pipe', 'pipe');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin?.on('error', () => undefined); // it ended before it read the input; its exit code tells
  child.stdin?.end(sql);
  const code = await exited(child);
  if (code !== 0) throw new Error(`PostgreSQL did not take a password:\n${output.slice(-2000)}`);
}
