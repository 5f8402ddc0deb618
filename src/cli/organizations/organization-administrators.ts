import type { Command } from 'commander';
import { linkedSentence } from '../../administration/show-user.ts';
import { stateOf } from '../../administration/state-of.ts';
import { organizationDecider } from '../../domain/organizations/organization.ts';
import { organizationStream } from '../../domain/streams.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { changing, type Run } from '../base/define.ts';
import { parseId } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

type Whose = {
  readonly organization: string;
  readonly user: string;
  readonly force?: true;
};
type Change = 'addAdministrator' | 'removeAdministrator';

export const addAdministratorCommands = (organization: Command, io: CliIo, run: Run): void => {
  const add = (command: Command, change: Change) =>
    command
      .requiredOption('--organization <organization>', 'organization_id of the organization', parseId)
      .requiredOption('--user <id>', 'user_id of the account', parseId)
      .action((whose: Whose) => run(() => withService(io, (service) => appoint(service, change, whose))));
  add(
    changing(organization, 'add-administrator', 'let a user administer the organization'),
    'addAdministrator',
  );
  add(
    changing(
      organization,
      'remove-administrator',
      'remove an administrator at once; revokes their administrator tokens for the organization',
    ).option('--force', 'also the last administrator'),
    'removeAdministrator',
  );
};

const appoint = async (
  service: CliService,
  change: Change,
  { organization: organizationId, user: userId, ...force }: Whose,
): Promise<Answer> => {
  const outcome = await service.commands[change]({ organizationId, userId, ...force });
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal]);
  const { changed, position } = outcome.value;
  if (position !== null) await service.settle(position);
  const state = await stateOf(service.store, organizationStream(organizationId), organizationDecider);
  const { name, administrators }: { readonly name: string; readonly administrators: readonly string[] } =
    state.status === 'created' ? state : { name: '', administrators: [] };
  const json = { organization_id: organizationId, name, administrators, user_id: userId, changed };
  const isOne = administrators.includes(userId);
  const text = `${userId} ${isOne ? 'administers' : 'does not administer'} ${organizationId}${isOne && change === 'removeAdministrator' ? ", by the identity provider's claim" : ''}.`;
  const linked = isOne ? await linkedSentence(service.store, userId) : '';
  return answer(json, `${text}${changed ? '' : ' Nothing changed.'}${linked}`);
};

const refusals = {
  'organization-unknown': 'no organization has the organization_id of --organization',
  'user-unknown': 'no account has the user_id of --user',
  'administrator-by-claim':
    "the user administers the organization by the identity provider's claim: remove it there, or disable the user",
  'last-administrator':
    'the user is the last administrator of the organization who may sign in; --force removes it all the same',
  'user-erased': 'the account was erased, which cannot be undone',
};
