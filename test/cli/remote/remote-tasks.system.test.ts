import { describe, expect, test } from 'vitest';
import { entities } from '../../../src/administration/entities.ts';
import { fieldsOf, type Field } from '../../../src/administration/fields.ts';
import { commandOf, isMaking, tasksOf } from '../../../src/administration/places.ts';
import type { Entity, Task } from '../../../src/administration/task.ts';
import { password } from '../live-service.ts';
import type { Ran } from '../run-grantbook.ts';
import { startWithOperator } from './run-remote.ts';

const { service, onServers, overApi } = await startWithOperator();

/** The two ways of a command: on the servers, and over the API. */
const ways = { servers: onServers, api: overApi };
type Way = keyof typeof ways;

/** What differs between two things that were made alike: ids, times, addresses with secrets, and the name of the way. */
const alike = (text: string): string =>
  text
    .replace(/[0-9A-HJKMNP-TV-Z]{26}(?:_[0-9A-HJKMNP-TV-Z]{26})?/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/mkt_[A-Za-z]+_[A-Za-z0-9_-]+/g, 'SECRET')
    .replace(/\b\d+\/\d+\b/g, 'POSITION')
    .replace(/\b(?:servers|api)\b/g, 'WAY')
    .replace(/(waiting"?:? *)\d+/g, '$1N');
const outcomeOf = ({ exitCode, stdout, stderr }: Ran) => ({
  exitCode,
  said: alike(stdout),
  warned: alike(stderr),
});

const said = ({ exitCode, stdout, stderr }: Ran) => ({ exitCode, stdout, stderr });

/** One thing of each kind, for each way. */
const made = await Promise.all(
  (['servers', 'api'] as const).map(async (way) => {
    const addon = await service.addon(`${way} sync`, '--confidential');
    const organization = await service.organization(`${way} quay`);
    const user = await service.user(`${way}-ada`, '--auditor');
    const stream = await service.runJson(['signals', 'create', '--addon', addon]);
    const ids = { addon, organization, user, signals: String(stream['stream_id']) };
    return [way, ids as Record<string, string>] as const;
  }),
);
const thingOf = (way: Way, entity: string): string =>
  made.find(([of]) => of === way)?.[1][entity] ?? '01K9RZ3Q5V0000000000000003';

const valueFor = (way: Way, { name, values }: Field): string =>
  ({
    addon: thingOf(way, 'addon'),
    after: '1/1',
    email: `new-${way}@example.com`,
    external_id: `${way}-1`,
    name: `${way} renamed`,
    passkey: '01K9RZ3Q5V0000000000000003',
    provider: 'corporate',
    user: thingOf(way, 'user'),
  })[name] ??
  values[0] ??
  'something';

/** The command of a task, with what it requires, and one property where it changes properties. */
const argsOf = (way: Way, about: Entity, task: Task, id: string | null): readonly string[] => {
  const { idOptions: [idOption] = [], requires = [] } = task.command ?? {};
  const all = fieldsOf(task.input);
  const wanted = all.filter(
    ({ isRequired, kind, name }) =>
      kind !== 'file' && kind !== 'secret' && (isRequired || requires.includes(name)),
  );
  const [property] = task.isProperty && wanted.length === 0 ? all : [];
  const fields = property ? [property] : wanted;
  const argument = fields.find(({ name }) => name === task.argument);
  return [
    ...commandOf(about, task).split(' '),
    ...(id === null ? [] : idOption === undefined ? [id] : [`--${idOption}`, id]),
    ...(argument ? [valueFor(way, argument)] : []),
    ...fields
      .filter((field) => field !== argument)
      .flatMap((field) => [`--${field.name.replaceAll('_', '-')}`, valueFor(way, field)]),
    ...(task.isConfirmed === 'always' ? ['--yes'] : []),
  ];
};

const tasks = entities.flatMap((about) =>
  tasksOf(about).map((task) => ({
    about,
    task,
    name: commandOf(about, task),
    takesId: !isMaking(about, task),
  })),
);

const succeeded: string[] = [];

describe('AP-08: a task over the API is what it is on the servers: the same command, JSON, text and exit code', () => {
  test.each(entities)('$name: list and show', async (about) => {
    await service.runJson([about.name, 'list']); // the read models show everything
    for (const args of [['list'], ['list', '--limit', '1'], ['show', thingOf('api', about.name)]])
      for (const more of [[], ['--json']]) {
        const command = [about.name, ...args, ...more];
        const [servers, api] = [await ways.servers(command), await ways.api(command)];
        expect(said(api)).toEqual(said(servers));
      }
    for (const id of ['01K9RZ3Q5V0000000000000003', 'no id', '..', '.', 'a/b', '%2e%2e', 'ä?#'])
      expect(said(await ways.api([about.name, 'show', id, '--json']))).toEqual(
        said(await ways.servers([about.name, 'show', id, '--json'])),
      );
    for (const part of about.parts ?? [])
      for (const id of [thingOf('api', about.name), 'unknown']) {
        const [option] = part.command?.idOptions ?? [];
        const args = [
          ...commandOf(about, part).split(' '),
          ...(option === undefined ? [id] : [`--${option}`, id]),
          '--json',
        ];
        expect(said(await ways.api(args))).toEqual(said(await ways.servers(args)));
      }
  });

  test.each(tasks)('$name', async ({ about, task, takesId }) => {
    const stdin = fieldsOf(task.input).some(({ kind }) => kind === 'secret') ? `${password}\n` : '';
    const run = (way: Way, id: string | null, ...more: readonly string[]) =>
      ways[way]([...argsOf(way, about, task, id), '--reason', 'as planned', ...more], stdin);
    const none = takesId ? '01K9RZ3Q5V0000000000000003' : null;
    expect(outcomeOf(await run('api', none, '--json'))).toEqual(
      outcomeOf(await run('servers', none, '--json')),
    );
    const idOf = (way: Way) => (takesId ? thingOf(way, about.name) : null);
    const [servers, api] = [
      await run('servers', idOf('servers'), '--json'),
      await run('api', idOf('api'), '--json'),
    ];
    expect(outcomeOf(api)).toEqual(outcomeOf(servers));
    if (api.exitCode === 0) succeeded.push(task.name);
    // The same again, as text: mostly nothing changes, or it is refused.
    const again = [await run('servers', idOf('servers')), await run('api', idOf('api'))].map(outcomeOf);
    expect(again[1]).toEqual(again[0]);
  });

  test('most of these tasks did something, in both ways', () => {
    expect(succeeded.length).toBeGreaterThan(tasks.length / 2);
  });
});
