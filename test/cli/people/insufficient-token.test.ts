import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { commandOf } from '../../../src/tasks/places.ts';
import { ownAddons } from '../../../src/tasks/publishing.ts';
import { makeProgram } from '../../../src/cli/run-cli.ts';
import { findActor, type WhoMay } from '../../../src/cli/sign-in/actor.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { runGrantbook } from '../run-grantbook.ts';

/** A value for each kind of argument and option: the first that its parser accepts. */
const candidates = [
  '01JD0000000000000000000000',
  '1',
  'RS256',
  'token',
  'https://a.example/cb',
  'package.json',
  '2026-05-03',
  'organization-01JD0000000000000000000000',
  '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11',
  'host.dead-letter/0/17',
];

/** What a command writes that should have been refused. */
const unwritten = join(tmpdir(), `refused-${randomUUID()}`);

/** Of those whose values are checked all together. */
const argumentsOf: Readonly<Record<string, string>> = {
  shown_to_publishers: 'true',
  stream: 'organization-01JD0000000000000000000000',
};

const acceptedBy = (given: Argument | Option): string => {
  if ('flags' in given ? /<file>/.test(given.flags) : given.name() === 'file')
    return 'flags' in given ? unwritten : 'package.json';
  if (!('flags' in given) && Object.hasOwn(argumentsOf, given.name())) return argumentsOf[given.name()] ?? '';
  const accepts = (value: string) => {
    try {
      given.parseArg?.(value, undefined as never);
      return true;
    } catch {
      return false;
    }
  };
  return given.argChoices?.[0] ?? candidates.find(accepts) ?? '';
};

/** What commands check themselves before they open anything. */
const [ulid, url] = ['01JD0000000000000000000000', 'https://a.example/cb'];
const more: Readonly<Record<string, readonly string[]>> = {
  'user grant-role': ['--role', 'operator'],
  'user remove-role': ['--role', 'operator'],
  'user erase': ['--yes'],
  'user token create': ['--user', ulid],
  'user token list': ['--user', ulid],
  'user token revoke': ['--user', ulid],
  'addon register': ['--redirect-uri', url],
  'addon update': ['--name', 'Doors'],
  'addon change approve': ['--revision', 'r1'],
  'signals replay': ['--after', '1/1'],
  'profile erase': ['--yes'],
  'audit timeline': ['--organization', ulid],
  'audit as-of': ['--at', '2026-05-03'],
  'audit exposure': ['--from', '2026-05-03', '--to', '2026-05-03'],
  'history drop': ['2026-01'],
  'log copy': ['--to', 'esdb://127.0.0.1:1?tls=false'],
  'parked skip': ['--reason', 'a test'],
};

const leavesOf = (command: Command, path: readonly string[] = []): readonly (readonly string[])[] => {
  const here = path.length === 0 ? [] : path;
  if (command.commands.length > 0)
    return command.commands
      .filter((one) => one.name() !== 'help')
      .flatMap((one) => leavesOf(one, [...here, one.name()]));
  const given = command.registeredArguments.filter(({ required }) => required).map(acceptedBy);
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap((option) => [option.long ?? '', acceptedBy(option)]);
  return [[...path, ...given, ...options, ...(more[path.join(' ')] ?? [])]];
};

/** These open no server that holds anything of anybody: they sign in and out, read files, or are a server themselves. */
const withoutServers = ['login', 'logout', 'audit verify', 'eventstore'];
/** Members of publishers use a service, which refuses them (every-own-task.test.ts). */
const ofMembers = ownAddons.tasks.map((task) => commandOf(ownAddons, task));

const commands = leavesOf(await makeProgram(null, {} as never, () => Promise.resolve())).filter(
  (args) =>
    !withoutServers.includes(args.slice(0, args[0] === 'audit' ? 2 : 1).join(' ')) &&
    ![...ofMembers, 'publisher addon'].some((words) => `${args.join(' ')} `.startsWith(`${words} `)),
);

const market = marketplace();
const { organizationId } = valueOf(await market.createOrganization({ name: 'Quay' }));
const adam = { email: 'adam@example.com', name: 'Adam', password: 'long enough, and only for tests' };
const { userId } = valueOf(
  await market.createUser({ ...adam, administratorOf: [organizationId], roles: [] }),
);
const asked = { userId, organizationId, name: 'program', days: 1, by: userId };
const { token } = valueOf(await market.issueAdministratorToken(asked));
const before = market.store.all().length;

/** What test/cli/people/sign-in.system.test.ts does on real servers. */
const open = async (who: WhoMay | 'nobody' = 'operator'): Promise<never> => {
  if (who !== 'nobody') await findActor(market, { GRANTBOOK_TOKEN: token }, null, who);
  throw new Error('whoever comes as far can do it');
};

test.each(commands.map((args) => ({ line: args.join(' '), args })))(
  'FX-12: $line with the token of somebody who is no operator is refused and does nothing',
  async ({ args }) => {
    const { exitCode, stdout, stderr } = await runGrantbook([...args, '--json'], {
      stdin: 'https://a.example/ line\n',
      env: { KAFKA_BROKERS: '127.0.0.1:1', TOKEN_KEYS: `k1:${'A'.repeat(43)}` },
      openService: open,
      openServers: () => open(),
    });
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      { error: { code: 'token-for-one-organization' } },
    ]);
    expect([stderr, market.store.all().length]).toEqual(['', before]);
  },
);
