import type { Command } from 'commander';
import { organizations } from '../../administration/organizations.ts';
import { addEntityCommands } from '../administration.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import { changing, type AddCommands } from '../base/define.ts';
import { addAdministratorCommands } from './organization-administrators.ts';
import { parseId, parseName } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

type CreateOptions = { readonly name: string };
type Whose = { readonly organization: string; readonly user: string };

export const addOrganizationCommands: AddCommands = (program, io, run) => {
  const organization = program
    .command('organization')
    .description(
      'create, find, change and close organizations; say who administers them and who may read their audit logs',
    );
  changing(organization, 'create', 'create an organization and print its organization_id')
    .requiredOption('--name <name>', 'name that its administrators see', parseName)
    .action((options: CreateOptions) => run(() => withService(io, (service) => create(service, options))));
  const add = (command: Command, action: (service: CliService, whose: Whose) => Promise<Answer>) =>
    command
      .requiredOption('--organization <organization>', 'organization_id of the organization', parseId)
      .requiredOption('--user <id>', 'user_id of an account with the role auditor', parseId)
      .action((whose: Whose) => run(() => withService(io, (service) => action(service, whose))));
  addAdministratorCommands(organization, io, run);
  add(
    changing(organization, 'add-auditor', 'let an auditor read the audit log of the organization'),
    setAuditor(true),
  );
  add(changing(organization, 'remove-auditor', 'remove an auditor at once'), setAuditor(false));
  addEntityCommands(organization, organizations, io, run, { byHand });
};

const byHand = ['create', 'add-administrator', 'remove-administrator'];

const create = async (service: CliService, { name }: CreateOptions): Promise<Answer> => {
  const outcome = await service.commands.createOrganization({ name });
  if (!outcome.ok)
    return refused(outcome.refusal, 'the organization cannot be created like this', outcome.problems);
  await service.settle();
  const { organizationId } = outcome.value;
  return answer(
    { organization_id: organizationId },
    `Created "${name}" with organization_id ${organizationId}.`,
  );
};

const setAuditor =
  (auditor: boolean) =>
  async (service: CliService, { organization, user }: Whose): Promise<Answer> => {
    const { commands } = service;
    const ids = { organizationId: organization, userId: user };
    const outcome = await (auditor ? commands.addAuditor(ids) : commands.removeAuditor(ids));
    if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal]);
    const { changed, position } = outcome.value;
    if (position !== null) await service.settle(position);
    const text = `${user} ${auditor ? 'may' : 'cannot'} read the audit log of ${organization}.`;
    return answer(
      { organization_id: organization, user_id: user, auditor, changed },
      changed ? text : `${text} It was so before.`,
    );
  };

const refusals = {
  'organization-unknown': 'no organization has the organization_id of --organization',
  'user-unknown': 'no account has the user_id of --user',
  'not-an-auditor': 'the account does not have the role auditor; create one with `user create --auditor`',
};
