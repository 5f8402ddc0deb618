import type { Command } from 'commander';
import { invite, resetPassword } from '../administration/password-links.ts';
import type { Json, Task } from '../administration/task.ts';
import { servicesOf } from './administration.ts';
import { answer, refused, type Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { changing, type Run } from './define.ts';
import { parseId, parseName } from './option-values.ts';
import { withService, type CliService } from './service.ts';
import { shownUser } from './show-user.ts';

type Options = { readonly reason?: string };
type Invitation = Options & { readonly email: string; readonly name: string };

export const addUserLinks = (user: Command, io: CliIo, run: Run): void => {
  changing(user, 'invite', 'create an account, and a link by which the person chooses the password')
    .requiredOption('--email <email>', 'e-mail address for signing in')
    .requiredOption('--name <name>', 'name of the person', parseName)
    .action(({ email, name, reason }: Invitation) =>
      run(() => withService(io, (service) => runTask(service, invite, '', { email, name }, reason))),
    );
  changing(user, 'reset-password', 'make a link by which the user chooses another password')
    .argument('<id>', 'user_id of the account', parseId)
    .action((id: string, { reason }: Options) =>
      run(() => withService(io, (service) => runTask(service, resetPassword, id, {}, reason))),
    );
};

const runTask = async (
  service: CliService,
  task: Task,
  id: string,
  input: Json,
  reason: string | undefined,
): Promise<Answer> => {
  const context = { ...service.context, ...(reason !== undefined && { reason }) };
  const done = await task.run(servicesOf(service), id, input, context);
  if (!done.ok) return refused(done.refusal, done.message, done.problems);
  if (done.position !== null) await service.settle(done.position);
  const shown = await shownUser(service, done.id ?? id);
  return answer({ ...shown, ...done.json }, done.text);
};
