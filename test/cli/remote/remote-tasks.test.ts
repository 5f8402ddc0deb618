import { afterAll, describe, expect, test } from 'vitest';
import { entities } from '../../../src/administration/entities.ts';
import { fieldsOf, type Field } from '../../../src/administration/fields.ts';
import type { Entity, Task } from '../../../src/administration/task.ts';
import type { CliIo } from '../../../src/cli/base/cli-io.ts';
import { makeProgram } from '../../../src/cli/run-cli.ts';
import { startServiceHere } from '../live-service.ts';
import type { Ran } from '../run-grantbook.ts';
import { runOverApi } from './run-remote.ts';

const password = 'long enough, and only for tests';
const service = await startServiceHere();
afterAll(() => service.stop());

const create = async (name: string, ...roles: readonly string[]) =>
  String(
    (
      await service.runJson(
        ['user', 'create', '--email', `${name}@example.com`, '--name', name, ...roles],
        `${password}\n`,
      )
    )['user_id'],
  );
const operator = await create('olga', '--operator');
const token = String(
  (await service.runJson(['user', 'token', 'create', '--user', operator, '--name', 'remote']))['token'],
);
const as = { GRANTBOOK_TOKEN: token };

/** The two ways of a command: on the servers, and over the API. */
const ways = {
  servers: (args: readonly string[], stdin = '') => service.run(args, stdin, { ...service.env, ...as }),
  api: (args: readonly string[], stdin = '') => runOverApi(service.baseUrl, args, { env: as, stdin }),
};
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
    const addresses = [
      '--redirect-uri',
      'https://addon.example/cb',
      '--configuration-url',
      'https://addon.example/c',
    ];
    const register = ['addon', 'register', '--name', `${way} sync`, ...addresses, '--confidential'];
    const addon = await service.runJson(register);
    const organization = await service.runJson(['organization', 'create', '--name', `${way} quay`]);
    const user = await create(`${way}-ada`, '--auditor');
    const ids: Record<string, string> = {
      addon: String(addon['client_id']),
      organization: String(organization['organization_id']),
      user,
      grant: '01K9RZ3Q5V0000000000000003',
    };
    const stream = await service.runJson(['signals', 'create', '--addon', ids['addon'] ?? '']);
    return [way, { ...ids, signals: String(stream['stream_id']) } as Record<string, string>] as const;
  }),
);
const thingOf = (way: Way, entity: string): string =>
  made.find(([of]) => of === way)?.[1][entity] ?? '01K9RZ3Q5V0000000000000003';

const program = await makeProgram(null, {} as Omit<CliIo, 'openTasks'>, () => Promise.resolve());
/** The commands that follow from the table, and not from code of their own. */
const isOfTable = ({ name }: Entity, { name: task, input }: Pick<Task, 'name' | 'input'>): boolean => {
  const command = program.commands
    .find((group) => group.name() === name)
    ?.commands.find((one) => one.name() === task);
  return fieldsOf(input).every(
    ({ name: field, kind, isRequired }) =>
      (kind === 'secret' && isRequired) ||
      command?.registeredArguments.some((argument) => argument.name() === field) === true ||
      command?.options.some(({ long }) => long === `--${field.replaceAll('_', '-')}`) === true,
  );
};
const byHand: Readonly<Record<string, readonly string[]>> = {
  organization: ['add-administrator', 'remove-administrator', 'create'],
};

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

const argsOf = (way: Way, about: Entity, task: Task, id: string | null): readonly string[] => {
  const fields = fieldsOf(task.input).filter(
    ({ isRequired, kind, name }) =>
      kind !== 'file' && kind !== 'secret' && (isRequired || (task.isProperty === true && name === 'name')),
  );
  const argument = fields.find(({ name }) => name === task.argument);
  return [
    about.name,
    task.name,
    ...(id === null ? [] : [id]),
    ...(argument ? [valueFor(way, argument)] : []),
    ...fields
      .filter((field) => field !== argument)
      .flatMap((field) => [`--${field.name.replaceAll('_', '-')}`, valueFor(way, field)]),
  ];
};

const tasks = entities.flatMap((about) => [
  ...about.tasks.map((task) => ({ about, task, takesId: true })),
  ...(about.making ?? []).map((task) => ({ about, task, takesId: false })),
]);
const ofTable = tasks.filter(
  ({ about, task }) => !(byHand[about.name] ?? []).includes(task.name) && isOfTable(about, task),
);

describe('AP-08: a task over the API is what it is on the servers: the same command, JSON, text and exit code', () => {
  test('the test knows what the table has', () => {
    const missing = tasks
      .filter((one) => !ofTable.includes(one))
      .map((one) => `${one.about.name} ${one.task.name}`);
    expect(missing).toEqual(
      Object.entries(byHand).flatMap(([name, all]) => all.map((one) => `${name} ${one}`)),
    );
  });

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
    for (const { name } of about.parts ?? [])
      for (const id of [thingOf('api', about.name), 'unknown'])
        expect(said(await ways.api([about.name, name, id, '--json']))).toEqual(
          said(await ways.servers([about.name, name, id, '--json'])),
        );
  });

  test.each(ofTable)('$about.name $task.name', async ({ about, task, takesId }) => {
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
    // The same again, as text: mostly nothing changes, or it is refused.
    const again = [await run('servers', idOf('servers')), await run('api', idOf('api'))].map(outcomeOf);
    expect(again[1]).toEqual(again[0]);
  });
});
