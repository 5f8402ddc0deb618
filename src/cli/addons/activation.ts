import type { Command } from 'commander';
import { presentReceipt } from '../../administration/deactivation-receipt.ts';
import { activationsADay } from '../../domain/organizations/activation.ts';
import { addonFacts } from '../../http/admin/addon-facts.ts';
import { presentActivation } from '../../http/admin/present-activation.ts';
import { words } from '../../http/pages/words.ts';
import type { LiveGrants } from '../../projections/read-models.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import { changing, leaf, type AddCommands } from '../base/define.ts';
import { parseId } from '../base/option-values.ts';
import { organizationExists } from '../../commands/organizations/organization-exists.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { withService, type CliService } from '../base/service.ts';

type Which = { readonly organization: string; readonly addon: string };

export const addActivationCommands: AddCommands = (program, io, run) => {
  const activation = program.command('activation');
  const add = (command: Command, action: (service: CliService, which: Which) => Promise<Answer>) =>
    command
      .requiredOption('--organization <organization>', 'organization_id of the organization', parseId)
      .requiredOption('--addon <id>', 'client_id of the add-on', parseId)
      .action((which: Which) => run(() => withService(io, (service) => action(service, which))));
  add(changing(activation, 'activate', 'activate an add-on for an organization'), activate);
  add(
    changing(activation, 'deactivate', 'deactivate an add-on: revokes all its tokens for the organization'),
    deactivate,
  );
  add(leaf(activation, 'show', 'show the activation of an add-on'), show);
};

const activate = async (service: CliService, { organization, addon }: Which): Promise<Answer> => {
  const { by, user } = service.actor;
  const who = { by, tokenId: user?.tokenId ?? null, asOperator: true, sessionId: null };
  const request = { organizationId: organization, addonId: addon, ...who };
  const outcome = await service.commands.activateAddon(request);
  if (!outcome.ok) return refuse(outcome.refusal);
  const { epoch, configurationUrl, position } = outcome.value;
  await service.settle(position);
  return answer(
    {
      organization_id: organization,
      client_id: addon,
      status: 'active',
      epoch,
      configuration_url: configurationUrl,
      position: positionText(position),
    },
    `Active, epoch ${epoch}. Next, an administrator opens ${configurationUrl}`,
  );
};

/** In milliseconds. An unavailable database must not delay an urgent deactivation for longer. */
const countPatienceMs = 1000;

const deactivate = async (service: CliService, { organization, addon }: Which): Promise<Answer> => {
  const { commands, readModels, actor } = service;
  const who = { by: actor.by, tokenId: actor.user?.tokenId ?? null };
  const liveGrants = readModels.beginCount(organization, addon);
  const outcome = await commands.deactivateAddon({ organizationId: organization, addonId: addon, ...who });
  if (!outcome.ok) return refuse(outcome.refusal);
  const { epoch, position, repeated } = outcome.value;
  const counted = repeated ? null : await liveGrants(epoch, countPatienceMs);
  await service.settle(position);
  const json = presentReceipt(outcome.value, counted);
  const text = `Deactivated. Every code and token of epoch ${epoch} is refused since ${json.fenced_at} at the latest (event ${json.position}).${endedText(counted)}`;
  return answer(json, text);
};

const endedText = (counted: LiveGrants | null): string =>
  counted
    ? ` It ended (as known at that time): ${words.countOf(counted.liveGrants, 'grant')}, approved by ${words.countOf(counted.approvers, 'person', 'people')}; ${words.countOf(counted.unredeemedCodes, 'code')} never exchanged.`
    : '';

/** The same facts as an administrator sees: from the log, with counts from the read models. */
const show = async (service: CliService, { organization, addon }: Which): Promise<Answer> => {
  const facts = await addonFacts(service, { organizationId: organization, addonId: addon });
  if (facts === null) return refuse('addon-unknown');
  if (!(await organizationExists(service.store, organization))) return refuse('organization-unknown');
  const json = presentActivation(organization, facts);
  return answer(json, sheet(linesOf(json)));
};

const linesOf = (shown: ReturnType<typeof presentActivation>): Readonly<Record<string, string>> => ({
  organization: shown.organization_id,
  addon: `${shown.client_id} ${shown.name}`,
  status: shown.retired
    ? `${shown.status}, retired`
    : shown.suspended
      ? `${shown.status}, suspended`
      : shown.status,
  epoch: String(shown.epoch),
  ...(shown.activated_at !== null && { activated: `${shown.activated_at} by ${shown.activated_by}` }),
  ...(shown.deactivated_at !== null && { deactivated: `${shown.deactivated_at} by ${shown.deactivated_by}` }),
  ...(shown.revocation !== null && {
    revocation: shown.revocation.completed
      ? `complete, ${shown.revocation.grants} grants`
      : 'not complete yet',
  }),
  'live grants': numberOf(shown.live_grants),
  'codes never exchanged': numberOf(shown.unredeemed_codes),
  'people who approved': numberOf(shown.approvers),
  scopes: shown.scopes?.join(' ') ?? 'unknown',
  'may ask for': shown.allowed_scopes.join(' '),
  'last token': shown.last_token_at ?? 'none',
});

const numberOf = (count: number | null): string => (count === null ? 'unknown' : String(count));

const refusals = {
  'addon-unknown': 'no add-on has the client_id of --addon',
  'organization-unknown': 'no organization has the organization_id of --organization',
  'organization-closed': 'the organization is closed, so no add-on can be activated for it',
  'configuration-url-missing':
    'the add-on was registered without --configuration-url, so it cannot be activated for an organization',
  'addon-suspended': 'the add-on is suspended; resume it first',
  'addon-retired': 'the add-on was retired',
  'never-activated': 'the add-on was never active for this organization',
  // Unreachable here: these are for administrators, not for operators.
  'not-an-administrator': 'the user does not administer the organization',
  'activated-too-often': `it was activated ${activationsADay} times within 24 hours; try again later`,
};

const refuse = (refusal: keyof typeof refusals) => refused(refusal, refusals[refusal]);
