import { expect, test } from 'vitest';
import { startServiceHere } from './live-service.ts';
import { eventually } from '../support/eventually.ts';

const service = await startServiceHere();

type Item = Readonly<Record<string, unknown>>;

test('SG-02, SG-12: operators create and list signal streams; a timeline tells what they are notified of', async () => {
  const addon = await service.addon('Doors', '--confidential');
  const signals = (...args: readonly string[]) => service.runJson(['signals', ...args]);
  const made = await signals('create', '--addon', addon);
  const streamId = String(made['stream_id']);
  const item = {
    stream_id: streamId,
    client_id: addon,
    name: 'Doors',
    method: 'poll',
    status: 'enabled',
    waiting: 0,
    oldest_waiting_at: null,
    last_error: null,
  };
  expect(made).toMatchObject(item);
  expect((await signals('list'))['items'] as readonly Item[]).toMatchObject([item]);
  expect(await signals('pause', streamId)).toMatchObject({ stream_id: streamId, status: 'paused' });
  expect(await signals('resume', streamId)).toMatchObject({ status: 'enabled' });
  expect(Number((await signals('test', streamId))['waiting'])).toBeGreaterThan(0);
  const message = `message to Doors (${addon}): stream-updated, waiting, jti `;
  await eventually(async () => {
    const { stdout } = await service.run(['audit', 'timeline', '--addon', addon]);
    expect(stdout.split(message)).toHaveLength(3); // the pause and its end
  }, 200);
  expect((await service.run(['signals', 'replay', streamId, '--after', 'x'])).exitCode).toBe(2);
  expect((await service.run(['signals', 'create', '--addon', addon])).exitCode).toBe(1);

  const open = await service.addon('Doors');
  expect((await service.run(['signals', 'create', '--addon', open])).exitCode).toBe(1);
  const url = 'http://127.0.0.1:9/signals';
  const push = ['signals', 'create', '--addon', open, '--endpoint-url', url, '--authorization-header'];
  const pushed = await service.runJson(push, 'Bearer hidden-from-all\n');
  expect(pushed).toMatchObject({ client_id: open, method: 'push' });
  expect(JSON.stringify([pushed, await signals('list')])).not.toContain('hidden');
});
