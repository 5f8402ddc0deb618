import { describe, expect, test } from 'vitest';
import { entities } from '../../../src/tasks/entities.ts';
import { commandOf } from '../../../src/tasks/places.ts';
import { startEveryTask, wordsOf } from '../../support/scenes/every-task.ts';
import type { Ran } from '../run-grantbook.ts';

const { service, token, sceneOf, plain } = await startEveryTask();
const said = ({ exitCode, stdout, stderr }: Ran) => plain({ exitCode, stdout, stderr });
const unknown = '01K9RZ3Q5V0000000000000003';

/** Over the API, and on the servers. */
const bothWays = async (args: readonly string[]) =>
  [said(await service.overApi(token, args)), said(await service.onServers(token, args))] as const;

/** A name that is not of one alone. */
for (const name of ['Twin', 'Twin']) await service.organization(name);
/** With one of the things that the tasks are about, of each kind. */
const idOf = Object.fromEntries(
  await Promise.all(
    [
      'organization rename',
      'user rename',
      'addon suspend',
      'publisher rename',
      'grant revoke',
      'signals pause',
      'expired-messages confirm',
    ].map(async (name) => [name.split(' ')[0], (await sceneOf(name)).id]),
  ),
) as Readonly<Record<string, string>>;

describe('AP-08: a task over the API is what it is on the servers: the same command, JSON, text and exit code', () => {
  test.each(entities)('$name: list and show', async ({ name, parts = [], ...about }) => {
    await service.settle();
    const id = idOf[name] ?? '';
    const things = [['list'], ['list', '--limit', '1'], ['show', id]].flatMap((args) =>
      [[], ['--json']].map((more) => [name, ...args, ...more]),
    );
    const lists = parts.flatMap((part) => {
      const [option] = part.command?.idOptions ?? [];
      const words = commandOf({ name, parts, ...about }, part).split(' ');
      const before = option === undefined ? words : [...words, `--${option}`];
      return [id, 'unknown'].map((whose) => [...before, whose, '--json']);
    });
    for (const args of [...things, ...lists]) {
      const [api, servers] = await bothWays(args);
      expect(api).toEqual(servers);
    }
  });

  test.each([unknown, 'no id', '..', '.', 'a/b', '%2e%2e', 'ä?#', 'Twin'])('the id %s', async (id) => {
    const [api, servers] = await bothWays(['organization', 'show', id, '--json']);
    expect(api).toEqual(servers);
  });

  test.each(entities)('$name: a task of one that is unknown', async (entity) => {
    const [task] = entity.tasks;
    if (!task) throw new Error('no task');
    const { input } = await sceneOf(`${entity.name} ${task.name}`);
    const [api, servers] = await bothWays([...wordsOf(entity, task, { id: unknown, input }), '--json']);
    expect(api).toEqual(servers);
  });
});
