import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { collect } from '../../packages/eventstore-node/test/contract/steps.ts';
import { startTestNode } from '../support/node.ts';

test('the command of docs/operations.md lets the account read $all, as the server wants it written', async () => {
  const node = await startTestNode();
  const client = EventStoreDBClient.connectionString(node.url);
  onTestFinished(async () => {
    await client.dispose();
    await node.close();
  });
  const manual = readFileSync(join(packageRoot, 'docs', 'operations.md'), 'utf8');
  const [, command] = /^(ADMIN_URL=[^]*?)^```/m.exec(manual) ?? [];
  const script = command?.replace(/ADMIN_URL='[^']*'/, `ADMIN_URL='${node.url}'`) ?? '';
  await promisify(execFile)('bash', ['-euc', script], { cwd: packageRoot });
  const written = await collect(client.readStream('$$$all'));
  expect(written.map(({ event }) => [event?.type, event?.data])).toEqual([
    ['$metadata', { $acl: { $r: ['$admins', 'grantbook'] } }],
  ]);
});
