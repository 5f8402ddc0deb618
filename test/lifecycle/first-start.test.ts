import { expect, onTestFinished, test } from 'vitest';
import { settingsFor } from '../operations/running.ts';
import { freshDatabase } from '../support/databases.ts';
import { startTestNode } from '../support/node.ts';
import { startService, stopService } from './service.ts';

test('FX-49: a first start on a new database logs no failures', async () => {
  const [node, database] = await Promise.all([startTestNode(), freshDatabase()]);
  onTestFinished(async () => {
    await node.close();
    await database.drop();
  });
  const settings = settingsFor({ databaseUrl: database.url, eventStoreUrl: node.url });
  const service = await startService({ ...settings, LOG_LEVEL: 'info', BASE_URL: 'http://127.0.0.1' });
  await stopService(service, 'SIGTERM');
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string });
  expect(lines.filter(({ level, msg }) => level >= 40 || /fail|terminated/i.test(msg))).toEqual([]);
}, 120_000);
