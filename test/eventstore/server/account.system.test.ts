import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { collect } from '../../../packages/eventstore-node/test/contract/steps.ts';
import { startTestNode } from '../../support/servers/node.ts';

test('the commands of docs/how-to/prepare-the-servers.md grant the account its rights, as the server wants them written', async () => {
  const node = await startTestNode();
  const client = EventStoreDBClient.connectionString(node.url);
  onTestFinished(async () => {
    await client.dispose();
    await node.close();
  });
  const manual = readFileSync(join(packageRoot, 'docs/how-to/prepare-the-servers.md'), 'utf8');
  const commands = [...manual.matchAll(/^(ADMIN_URL=[^]*?)^```/gm)].map(([, command = '']) => command);
  for (const command of commands) {
    const script = command.replace(/ADMIN_URL='[^']*'/, `ADMIN_URL='${node.url}'`);
    await promisify(execFile)('bash', ['-euc', script], { cwd: packageRoot });
  }
  const written = async (stream: string) =>
    (await collect(client.readStream(stream))).map(({ event }) => [event?.type, event?.data]);
  const names = ['$admins', 'grantbook'];
  expect(await written('$$$all')).toEqual([['$metadata', { $acl: { $r: names } }]]);
  expect(await written('$settings')).toEqual([
    ['settings', { $userStreamAcl: { $w: names, $r: names, $d: names, $mw: names, $mr: names } }],
  ]);
});
