import type { Role } from '../domain/account.ts';
import { answer, refused, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { collect, parseId, parseName } from './option-values.ts';
import { readPassword } from './read-password.ts';
import { withService, type CliService } from './service.ts';

type CreateOptions = {
  readonly email: string;
  readonly name: string;
  readonly administratorOf?: readonly string[];
  readonly auditor?: true;
  readonly operator?: true;
};

export const addUserCommands: AddCommands = (program, io, run) => {
  const user = program.command('user').description('create accounts');
  const create = leaf(user, 'create', 'create an account; its password is read from standard input');
  create
    .requiredOption('--email <email>', 'what the person signs in with')
    .requiredOption('--name <name>', 'what the person is called', parseName)
    .option(
      '--administrator-of <organization...>',
      'organization_id of an organization to administer; several may be given',
      collect(parseId),
    )
    .option('--auditor', 'may read the history')
    .option('--operator', 'may see the operator pages')
    .action((options: CreateOptions) =>
      run(async () => {
        const password = await readPassword(io);
        if (password === '') {
          create.error('error: the password is missing: type it, or pass it as one line on standard input');
        }
        return withService(io, (service) => createUser(service, options, password));
      }),
    );
};

const createUser = async (
  service: CliService,
  { email, name, administratorOf = [], auditor, operator }: CreateOptions,
  password: string,
): Promise<Answer> => {
  const roles: readonly Role[] = [
    ...(auditor ? ['auditor' as const] : []),
    ...(operator ? ['operator' as const] : []),
  ];
  const outcome = await service.commands.createUser({ email, name, password, administratorOf, roles });
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal], outcome.problems);
  await service.settle();
  const { userId } = outcome.value;
  return answer({ user_id: userId }, `Created the account of ${name} with user_id ${userId}.`);
};

const refusals = {
  'email-taken': 'another account has this e-mail address',
  'organization-unknown': 'an organization of --administrator-of does not exist',
  invalid: 'the account cannot be created like this',
};
