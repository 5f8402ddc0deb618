import { afterAll, expect, test, vi } from 'vitest';
import { startServiceHere } from './live-service.ts';

const service = await startServiceHere();
afterAll(() => service.stop());

type Item = Readonly<Record<string, unknown>>;
const register = async (...more: readonly string[]) => {
  const redirect = ['--redirect-uri', 'https://addon.example/cb'];
  const made = await service.runJson(['addon', 'register', '--name', 'Doors', ...redirect, ...more]);
  return String(made['client_id']);
};

test('SG-02, SG-12: operators create, list, show, pause, resume, test, replay and delete signal streams', async () => {
  const addon = await register('--confidential');
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
  expect(await signals('show', streamId)).toMatchObject({ status: 'paused' });
  expect(await signals('resume', streamId)).toMatchObject({ status: 'enabled' });
  const waiting = Number((await signals('test', streamId))['waiting']);
  expect(waiting).toBeGreaterThan(0);
  const message = `message to Doors (${addon}): stream-updated, waiting, jti `;
  await vi.waitFor(
    async () => {
      const { stdout } = await service.run(['audit', 'timeline', '--addon', addon]);
      expect(stdout.split(message)).toHaveLength(3); // the pause and its end
    },
    { timeout: 20_000, interval: 200 },
  );
  expect(await signals('replay', streamId, '--after', '1/1')).toMatchObject({ stream_id: streamId });
  expect((await service.run(['signals', 'replay', streamId, '--after', 'x'])).exitCode).toBe(2);
  expect((await service.run(['signals', 'create', '--addon', addon])).exitCode).toBe(1);
  expect(await signals('delete', streamId)).toMatchObject({ stream_id: streamId, status: 'deleted' });
  for (const task of ['show', 'pause', 'delete'])
    expect((await service.run(['signals', task, streamId])).exitCode).toBe(1);

  const open = await register();
  expect((await service.run(['signals', 'create', '--addon', open])).exitCode).toBe(1);
  const url = 'http://127.0.0.1:9/signals';
  const push = ['signals', 'create', '--addon', open, '--endpoint-url', url, '--authorization-header'];
  const pushed = await service.runJson(push, 'Bearer hidden-from-all\n');
  expect(pushed).toMatchObject({ client_id: open, method: 'push' });
  expect(JSON.stringify([pushed, await signals('list')])).not.toContain('hidden');
});
