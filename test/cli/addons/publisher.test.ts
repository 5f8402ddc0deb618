import { expect, test } from 'vitest';
import { startServiceHere } from '../live-service.ts';

const service = await startServiceHere();

test('AP-10: a publisher, its member and its add-on, and a change that is refused, on the command line', async () => {
  const run = (...parts: string[]) => service.runJson(parts);
  const { publisher_id: publisher } = await run('publisher', 'create', '--name', 'Doors Ltd');
  const addon = await service.addon('Doors');
  const bound = await run('addon', 'update', addon, '--publisher-id', String(publisher));
  expect(bound).toMatchObject({ publisher_id: publisher, publisher: 'Doors Ltd' });
  const person = ['user', 'invite', '--email', 'bea@doors.example', '--name', 'Bea'];
  const { user_id: user } = await run(...person);
  const role = [String(user), '--role', 'publisher', '--publisher', 'Doors Ltd'];
  await run('user', 'grant-role', ...role);
  expect(await run('publisher', 'show', String(publisher))).toMatchObject({
    name: 'Doors Ltd',
    members: [user],
    addons: [addon],
  });
  const wrong = await service.run(['user', 'grant-role', String(user), '--role', 'publisher', '--json']);
  expect(wrong).toMatchObject({ exitCode: 1, json: { error: { code: 'publisher-missing' } } });
  const none = await run('addon', 'change', 'list', addon);
  expect(none).toMatchObject({ changes: [] });
  await run('user', 'remove-role', ...role);
  expect(await run('publisher', 'list')).toMatchObject({ items: [{ members: [] }], next: null });
});
