import type { Command } from 'commander';
import { recordId } from '../../domain/kernel/ids.ts';
import { personalFieldsOf } from '../../domain/events.ts';
import { accountStream, administratorTokensStream, profileStream } from '../../domain/streams.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { isConfirmed } from '../base/confirm.ts';
import { changing, type AddCommands, type Run } from '../base/define.ts';
import { parseId } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

type Confirmed = { readonly yes?: true };

export const addUserErase = (user: Command, io: CliIo, run: Run): void => {
  const erase = changing(
    user,
    'erase',
    "erase a person's account permanently: their personal data in the log can no longer be decrypted",
  );
  erase
    .argument('<id>', 'user_id of the account', parseId)
    .option('--yes', 'skip the confirmation')
    .option('--force', 'also the last operator, or yourself')
    .action((id: string, { force = false, ...confirmed }: Confirmed & { readonly force?: boolean }) =>
      run(async () => {
        await confirm(erase, io, confirmed, id);
        return withService(io, (service) =>
          service.actor.by === id && !force
            ? Promise.resolve(refused('own-account', ownAccount))
            : eraseUser(service, id, force),
        );
      }),
    );
};

export const addProfileCommands: AddCommands = (program, io, run) => {
  const profile = program.command('profile');
  const erase = changing(
    profile,
    'erase',
    "erase a person's profile permanently: their personal data in the log can no longer be decrypted",
  );
  erase
    .requiredOption('--organization <organization>', 'organization_id of the organization', parseId)
    .argument('<id>', `the host platform's id of the profile: ${recordId.allowed}`, parseId)
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nAn id that begins with - comes last, after --.')
    .action((id: string, options: Confirmed & { readonly organization: string }) =>
      run(async () => {
        await confirm(erase, io, options, id);
        return withService(io, (service) => eraseProfile(service, options.organization, id));
      }),
    );
};

const ownAccount = 'this is the account that you are acting with; to erase it all the same, add --force';

const confirm = async (
  command: Command,
  io: CliIo,
  { yes = false }: { readonly yes?: boolean },
  id: string,
) => {
  const warning = `This permanently erases ${id}. It cannot be undone.`;
  if (!(await isConfirmed(io, { yes, word: id, warning })))
    command.error(`error: nothing was done: pass --yes, or type ${id} at a terminal`);
};

const eraseUser = async (service: CliService, id: string, force: boolean): Promise<Answer> => {
  const outcome = await service.commands.eraseUser({ userId: id, force });
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal](id));
  const { position, repeated, addressKnown } = outcome.value;
  if (position !== null) await service.settle(position);
  const remains = {
    profiles: await service.readModels.profilesOfUser(id),
    events_in_clear: await clearEvents(service, [accountStream(id), administratorTokensStream(id)]),
    email_claim: !addressKnown,
  };
  return answer(
    {
      user_id: id,
      erased: true,
      repeated,
      remains: { ...remains, profiles: remains.profiles.map(presentProfile) },
    },
    [
      `Erased: the personal data of ${id} can no longer be read, sign-in is impossible, and the e-mail address is free.`,
      ...clearText(remains.events_in_clear),
      ...(addressKnown
        ? []
        : [
            'The key was lost before: the reservation of the e-mail address could not be found, so it remains.',
          ]),
      ...remains.profiles.map(
        (profile) =>
          `Not erased: profile ${profile.id} of ${profile.organizationId}, which refers to the account. To erase it, too: grantbook profile erase`,
      ),
    ].join('\n'),
  );
};

const refusals = {
  'user-unknown': (id: string) => `no account has the user_id ${id}`,
  'last-operator': (id: string) =>
    `${id} is the last operator who may sign in; --force erases the account all the same`,
};

const eraseProfile = async (service: CliService, organizationId: string, id: string): Promise<Answer> => {
  const outcome = await service.commands.eraseProfile({ organizationId, id });
  if (!outcome.ok)
    return refused(
      outcome.refusal,
      `the organization has no profile ${id}; an id is ${recordId.allowed}, in the same upper and lower case`,
    );
  const { position, repeated } = outcome.value;
  if (position !== null) await service.settle(position);
  const inClear = await clearEvents(service, [profileStream(organizationId, id)]);
  return answer(
    { organization_id: organizationId, id, erased: true, repeated, remains: { events_in_clear: inClear } },
    [
      `Erased: the personal data of ${id} can no longer be read; newer versions are refused.`,
      ...clearText(inClear),
    ].join('\n'),
  );
};

const presentProfile = (profile: { readonly organizationId: string; readonly id: string }) => ({
  organization_id: profile.organizationId,
  id: profile.id,
});

const clearText = (count: number): readonly string[] =>
  count === 0 ? [] : [`Not erased: ${count} unencrypted events from before encryption was introduced.`];

/** Events from before encryption: there is no key to destroy. */
const clearEvents = async ({ store }: CliService, streams: readonly string[]): Promise<number> => {
  const found = await Promise.all(streams.map((stream) => store.readStored(stream, 0n, 10_000)));
  return found.flat().filter(({ type, data }) => {
    const isSealed = typeof data === 'object' && data !== null && 'personal' in data;
    return personalFieldsOf(type) !== null && !isSealed;
  }).length;
};
