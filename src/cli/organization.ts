import { answer, refused, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { parseName } from './option-values.ts';
import { withService, type CliService } from './service.ts';

type CreateOptions = { readonly name: string };

export const addOrganizationCommands: AddCommands = (program, io, run) => {
  const organization = program.command('organization').description('create organizations');
  leaf(organization, 'create', 'create an organization and answer its organization_id')
    .requiredOption('--name <name>', 'name that its administrators see', parseName)
    .action((options: CreateOptions) => run(() => withService(io, (service) => create(service, options))));
};

const create = async (service: CliService, { name }: CreateOptions): Promise<Answer> => {
  const outcome = await service.commands.createOrganization({ name });
  if (!outcome.ok) return refused(outcome.refusal, 'the organization cannot be created like this');
  await service.settle();
  const { organizationId } = outcome.value;
  return answer(
    { organization_id: organizationId },
    `Created "${name}" with organization_id ${organizationId}.`,
  );
};
