import type { Command } from 'commander';
import { answer, refused, type Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { changing, type Run } from './define.ts';
import { parseId } from './option-values.ts';
import { readPassword } from './read-password.ts';
import { withService, type CliService } from './service.ts';
import { shownUser, unknownUser } from './show-user.ts';

type Options = { readonly reason?: string };

export const addUserPassword = (user: Command, io: CliIo, run: Run): void => {
  const set = changing(
    user,
    'set-password',
    'set a password, read from standard input; ends every session and administrator token of the user at once',
  );
  set.argument('<id>', 'user_id of the account', parseId).action((id: string, options: Options) =>
    run(async () => {
      const password = await readPassword(io);
      if (password === '')
        set.error('error: the password is missing: type it, or pass it as one line on standard input');
      return withService(io, (service) => setPassword(service, id, password, options));
    }),
  );
};

const setPassword = async (
  service: CliService,
  userId: string,
  password: string,
  options: Options,
): Promise<Answer> => {
  const outcome = await service.commands.setPassword({ userId, password, ...options });
  if (!outcome.ok)
    return outcome.refusal === 'user-unknown'
      ? unknownUser(userId)
      : refused(outcome.refusal, refusals[outcome.refusal], outcome.problems);
  const { position } = outcome.value;
  if (position !== null) await service.settle(position);
  return answer(
    await shownUser(service, userId),
    `Set: ${userId} signs in with the new password; every session and administrator token has ended.`,
  );
};

const refusals = {
  'user-erased': 'the account was erased, which cannot be undone',
  invalid: 'the password cannot be set',
};
