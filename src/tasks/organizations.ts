import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { organizationStream } from '../domain/streams.ts';
import { organizationNow } from '../eventstore/state-of.ts';
import type { OrganizationRow } from '../projections/read-models.ts';
import { deactivationReceipt } from './organizations/activation-answers.ts';
import {
  activate,
  addonsOfOrganization,
  deactivate,
  receipts,
  showActivation,
} from './organizations/activations.ts';
import { closeOrganization } from './organizations/close-organization.ts';
import { eraseProfile } from './people/erasures.ts';
import { flag, list, nameField, orNull, reference, text, yesOrNo } from './fields.ts';
import { named } from './named.ts';
import { changedTo, unknownThing } from './outcomes.ts';
import {
  addAdministrator,
  addAuditor,
  organizationAdministrators,
  organizationAuditors,
  removeAdministrator,
  removeAuditor,
} from './organizations/organization-members.ts';
import { entity, sortedBy, task, type Json, type Services, type TaskOutcome } from './task.ts';
import { idOf, nameOf, shown, state } from './answer-fields.ts';
import { english } from '../common/words.ts';

const { fields, organization: texts } = english.tasks;

const filters = z.object({
  search: text(texts.filters.search).optional(),
  sort: sortedBy('created_at', 'name'),
});

const shape = z.object({
  organization_id: idOf('organization'),
  name: nameOf(),
  external_id: shown(z.string(), { from: 'l' })
    .nullable()
    .describe('The id by which the host platform knows it.'),
  administrators: z.array(idOf('user', 'l')).readonly().describe('Their user_id.'),
  auditors: z.array(idOf('user')).readonly().describe('Who may read its audit log.'),
  state: state(['open', 'closed'], { open: 'good' }),
  shown_to_publishers: z.boolean().describe('Whether publishers of its add-ons see its name.'),
});

export type OrganizationItem = z.infer<typeof shape>;

/** From the log, so that it shows every change that was answered. */
const show = async (
  { store }: Pick<Services, 'store'>,
  organizationId: string,
): Promise<OrganizationItem | null> => {
  const state = await organizationNow(store, organizationId);
  if (state.status === 'unknown') return null;
  return {
    organization_id: organizationId,
    name: state.name,
    external_id: state.externalId,
    administrators: state.administrators,
    auditors: state.auditors,
    state: state.state,
    shown_to_publishers: state.shownToPublishers,
  };
};

const present = ({
  organizationId,
  name,
  externalId,
  administrators,
  auditors,
  isClosed,
  isHidden,
}: OrganizationRow): OrganizationItem => ({
  organization_id: organizationId,
  name,
  external_id: externalId,
  administrators,
  auditors,
  state: isClosed ? 'closed' : 'open',
  shown_to_publishers: !isHidden,
});

const unknown = (organizationId: string): TaskOutcome =>
  unknownThing({ name: 'organization' }, organizationId);

const create = task({
  name: 'create',
  ...texts.create,
  at: { method: 'POST', path: '' },
  command: { prints: ['organization_id'] },
  isCreating: true,
  input: z.object({ name: nameField(texts.fields.name) }),
  run: async ({ commands }, _id, { name }, context) => {
    const outcome = await commands.createOrganization({ name }, context);
    if (!outcome.ok) return { ...outcome, message: 'the organization cannot be created like this' };
    const { organizationId } = outcome.value;
    return {
      ok: true,
      text: `Created "${name}" with organization_id ${organizationId}.`,
      position: null,
      id: organizationId,
    };
  },
});

const messages: Readonly<Record<string, string>> = {
  'administrator-by-claim':
    "somebody who is not in the list administers the organization by the identity provider's claim: remove it there, or disable the user",
  'last-administrator':
    'no administrator would be left who may sign in; to remove them all the same, use force',
};

type Change = Partial<z.infer<z.ZodObject<typeof properties>> & z.infer<typeof declares>>;

const change = async (
  { commands }: Services,
  organizationId: string,
  { name, external_id: externalId, shown_to_publishers: shown, administrators, auditors, force }: Change,
  context: CommandContext,
  said = 'Changed.',
  already?: string,
): Promise<TaskOutcome> => {
  const outcome = await commands.updateOrganization(
    {
      organizationId,
      ...(name !== undefined && { name }),
      ...(externalId !== undefined && { externalId }),
      ...(shown !== undefined && { shown }),
      ...(administrators && { administrators: [...new Set(administrators)] }),
      ...(auditors && { auditors: [...new Set(auditors)] }),
      ...(force && { force }),
    },
    context,
  );
  if (outcome.ok) return changedTo(outcome.value, said, already);
  if (outcome.refusal === 'organization-unknown') return unknown(organizationId);
  return { ...outcome, message: messages[outcome.refusal] ?? 'the organization cannot be changed like this' };
};

/** Who of the lists has it not by now. */
const newMembers = async ({ store }: Services, organizationId: string, input: Json) => {
  const state = await organizationNow(store, organizationId);
  const isNew = (key: 'administrators' | 'auditors') => {
    const present: readonly string[] = state.status === 'created' ? state[key] : [];
    return [input[key] ?? []]
      .flat()
      .map(String)
      .filter((id) => !present.includes(id));
  };
  return [...new Set([...isNew('administrators'), ...isNew('auditors')])];
};

const externalIdField = text(fields.external_id, 255);

const properties = {
  name: nameField(texts.fields.name),
  external_id: externalIdField,
  shown_to_publishers: yesOrNo(fields.shown_to_publishers),
};

const members = (title: string, description: string) =>
  list(reference({ title, description }, 'user')).optional();

const declares = z.object({
  external_id: orNull(externalIdField),
  administrators: members('Administrators', 'who administers the organization, by hand or by claim'),
  auditors: members('Auditors', 'who may read its audit log'),
  force: flag({ title: 'Force', description: 'also without an administrator who may sign in' }).optional(),
});

const rename = task({
  name: 'rename',
  ...texts.rename,
  input: z.object({ name: properties.name }),
  isProperty: true,
  run: (services, id, input, context) =>
    change(services, id, input, context, `Renamed to "${input.name}".`, 'It has this name already.'),
});

const setExternalId = task({
  name: 'set-external-id',
  ...texts['set-external-id'],
  input: z.object({ external_id: properties.external_id }),
  argument: 'external_id',
  isProperty: true,
  run: (services, id, input, context) => {
    const said = `Its external id is "${input.external_id}".`;
    return change(services, id, input, context, said, 'It has this external id already.');
  },
});

const showToPublishers = task({
  name: 'show-to-publishers',
  ...texts['show-to-publishers'],
  input: z.object({ shown_to_publishers: properties.shown_to_publishers }),
  argument: 'shown_to_publishers',
  isProperty: true,
  run: change,
});

const close = task({
  name: 'close',
  ...texts.close,
  isFinal: true,
  ends: ['activeAddons', 'grants'],
  input: z.object({}),
  adds: z.object({
    receipts: z.array(deactivationReceipt),
    receipts_complete: z
      .boolean()
      .describe(
        'Whether each deactivation has its receipt here. All access has ended in either case; the others follow in `GET …/receipts`, and in the answer to a repeat.',
      ),
  }),
  run: async (services, organizationId, _input, context) => {
    const closed = await closeOrganization(services, organizationId, context);
    if (!closed.ok) return unknown(organizationId);
    const { changed, receipts, isComplete, position } = closed;
    const rest = isComplete
      ? ''
      : ' All access has ended; the other receipts follow: list the receipts of the organization, or repeat this.';
    const text = `${changed ? 'Closed' : 'It was closed before'}; deactivated add-ons: ${receipts.length}.${rest}`;
    return { ok: true, text, position, json: { receipts, receipts_complete: isComplete } };
  },
});

/** Organizations: their names and ids, who administers them, and whether add-ons can be activated for them. */
export const organizations = entity({
  name: 'organization',
  plural: 'organizations',
  idKey: 'organization_id',
  shape,
  example: {
    organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y',
    name: 'Harbour House',
    external_id: '/tenants/harbour-house',
    administrators: ['01JD0Z9X7V5T3R1P9N7L5K3J1H'],
    auditors: [],
    state: 'open',
    shown_to_publishers: true,
  } satisfies OrganizationItem,
  filters,
  columns: texts.columns,
  show,
  list: async ({ readModels }, { search, sort }, page) => {
    const { rows, ...listed } = await readModels.organizations(search ?? null, { ...page, sort });
    return { items: rows.map(present), ...listed };
  },
  isId: isUlid,
  find: async (services, text) => {
    const [, externalId] = /^external:(.*)$/s.exec(text) ?? [];
    if (externalId === undefined) return named(services, 'organization', text, show);
    const id = await services.commands.organizationOf(externalId);
    const shown = id === null ? null : await show(services, id);
    return shown ? [{ id: shown.organization_id, name: shown.name }] : [];
  },
  stream: organizationStream,
  tasks: [
    rename,
    setExternalId,
    showToPublishers,
    addAdministrator,
    removeAdministrator,
    addAuditor,
    removeAuditor,
    activate,
    deactivate,
    showActivation,
    eraseProfile,
    close,
  ],
  making: [create],
  change,
  toWhom: (id, input, services) => newMembers(services, id, input),
  declares,
  parts: [organizationAdministrators, organizationAuditors, addonsOfOrganization, receipts],
});
