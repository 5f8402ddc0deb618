import { z } from 'zod';
import { isUlid } from '../domain/kernel/ids.ts';
import { organizationDecider, type RemovalRefusal } from '../domain/organizations/organization.ts';
import { organizationStream } from '../domain/streams.ts';
import type { OrganizationRow } from '../projections/read-models.ts';
import { closeOrganization } from './close-organization.ts';
import { flag, id, text } from './fields.ts';
import { linkedSentence } from './show-user.ts';
import { stateOf } from './state-of.ts';
import { entity, task, type Listed, type Page, type Services, type TaskOutcome } from './task.ts';

const filters = z.object({
  search: text({
    title: 'Search',
    description:
      'organizations with these starts of words in the name, or with this organization_id or external_id',
  }).optional(),
});

const shape = z.object({
  organization_id: z.string(),
  name: z.string(),
  external_id: z.string().nullable().describe('The id by which the host platform knows it.'),
  administrators: z.array(z.string()).readonly().describe('Their user_id.'),
  state: z.enum(['open', 'closed']),
});

export type OrganizationItem = z.infer<typeof shape>;

/** From the log, so that it shows every change that was answered. */
const show = async (
  { store }: Pick<Services, 'store'>,
  organizationId: string,
): Promise<OrganizationItem | null> => {
  if (!isUlid(organizationId)) return null;
  const state = await stateOf(store, organizationStream(organizationId), organizationDecider);
  if (state.status === 'unknown') return null;
  return {
    organization_id: organizationId,
    name: state.name,
    external_id: state.externalId,
    administrators: state.administrators,
    state: state.state,
  };
};

const list = async (
  { readModels }: Services,
  { search }: z.infer<typeof filters>,
  { after, limit }: Page,
): Promise<Listed> => {
  if (after !== null && !isUlid(after)) return { items: [], next: null };
  const rows = await readModels.organizations(search ?? null, { after, limit: limit + 1 });
  const items = rows.slice(0, limit).map(present);
  return { items, next: rows.length > limit ? (items.at(-1)?.organization_id ?? null) : null };
};

const present = ({
  organizationId,
  name,
  externalId,
  administrators,
  isClosed,
}: OrganizationRow): OrganizationItem => ({
  organization_id: organizationId,
  name,
  external_id: externalId,
  administrators,
  state: isClosed ? 'closed' : 'open',
});

const unknown = (organizationId: string): TaskOutcome => ({
  ok: false,
  refusal: 'organization-unknown',
  message: `there is no organization ${organizationId}`,
});

const nameField = text({ title: 'Name', description: 'name that its administrators see' }, 100);

const noneEnds = 'Grants and tokens stay.';

const create = task({
  name: 'create',
  summary: 'Create an organization',
  effect: 'It has no administrators and no add-ons yet.',
  input: z.object({ name: nameField }),
  run: async ({ commands }, _id, { name }, context) => {
    const outcome = await commands.createOrganization({ name }, context);
    if (!outcome.ok) return { ...outcome, message: 'the organization cannot be created like this' };
    const { organizationId } = outcome.value;
    return { ok: true, text: `Created "${name}".`, position: null, id: organizationId };
  },
});

const rename = task({
  name: 'rename',
  summary: 'Change the name',
  effect: noneEnds,
  input: z.object({ name: nameField }),
  isProperty: true,
  run: async ({ commands }, organizationId, { name }, context) => {
    const outcome = await commands.renameOrganization({ organizationId, name }, context);
    if (!outcome.ok)
      return outcome.refusal === 'organization-unknown'
        ? unknown(organizationId)
        : { ...outcome, message: 'the organization cannot have this name' };
    const { changed, position } = outcome.value;
    return { ok: true, text: changed ? `Renamed to "${name}".` : 'It has this name already.', position };
  },
});

const setExternalId = task({
  name: 'set-external-id',
  summary: 'Set the external id',
  effect: `${noneEnds} From now on, claims of the identity provider find the organization by this id, and no longer by the one before.`,
  input: z.object({
    external_id: text(
      { title: 'External id', description: 'the id by which the host platform knows it; unique' },
      255,
    ),
  }),
  argument: 'external_id',
  isProperty: true,
  run: async ({ commands }, organizationId, { external_id: externalId }, context) => {
    const outcome = await commands.setExternalId({ organizationId, externalId }, context);
    if (!outcome.ok)
      return outcome.refusal === 'organization-unknown'
        ? unknown(organizationId)
        : { ...outcome, message: 'the organization cannot have this external id' };
    const { changed, position } = outcome.value;
    const text = changed ? `Its external id is "${externalId}".` : 'It has this external id already.';
    return { ok: true, text, position };
  },
});

const userField = id({ title: 'User', description: 'user_id of the account' });

const addAdministrator = task({
  name: 'add-administrator',
  summary: 'Add an administrator',
  effect: noneEnds,
  input: z.object({ user: userField }),
  run: async ({ commands, store }, organizationId, { user: userId }, context) => {
    const outcome = await commands.addAdministrator({ organizationId, userId }, context);
    if (!outcome.ok) return refusedUser(outcome.refusal, organizationId, userId);
    const { changed, position } = outcome.value;
    const text = `${userId} administers the organization.${changed ? '' : ' Nothing changed.'}${await linkedSentence(store, userId)}`;
    return { ok: true, text, position };
  },
});

const removeAdministrator = task({
  name: 'remove-administrator',
  summary: 'Remove an administrator',
  effect:
    'Administrator tokens of the user for this organization stop working immediately. Grants that the user approved belong to the organization and stay.',
  input: z.object({
    user: userField,
    force: flag({ title: 'Force', description: 'also the last administrator' }).optional(),
  }),
  run: async ({ commands }, organizationId, { user: userId, force = false }, context) => {
    const outcome = await commands.removeAdministrator({ organizationId, userId, force }, context);
    if (!outcome.ok) return refusedUser(outcome.refusal, organizationId, userId);
    const { changed, position } = outcome.value;
    const text = `${userId} does not administer the organization.${changed ? '' : ' Nothing changed.'}`;
    return { ok: true, text, position };
  },
});

const refusedUser = (
  refusal: RemovalRefusal | 'user-unknown' | 'user-erased',
  organizationId: string,
  userId: string,
): TaskOutcome => {
  if (refusal === 'organization-unknown') return unknown(organizationId);
  const messages = {
    'user-unknown': `there is no account ${userId}`,
    'user-erased': 'the account was erased, which cannot be undone',
    'last-administrator':
      'the user is the last administrator who may sign in; to remove them all the same, use force',
    'administrator-by-claim':
      'the user administers the organization by the claim of the identity provider: remove it there, or disable the user',
  };
  return { ok: false, refusal, message: messages[refusal] };
};

const receipt = z.object({
  organization_id: z.string(),
  client_id: z.string(),
  status: z.literal('deactivated'),
  epoch: z.int(),
  position: z.string(),
  fenced_at: z.string().meta({ format: 'date-time' }),
  live_grants: z.int().nullable(),
  unredeemed_codes: z.int().nullable(),
  approvers: z.int().nullable(),
});

const close = task({
  name: 'close',
  summary: 'Permanently close the organization',
  effect:
    'Every add-on is deactivated: its codes and tokens for the organization stop working immediately. No add-on can be activated any more. Users’ own grants and the history stay.',
  isFinal: true,
  input: z.object({}),
  adds: z.object({ receipts: z.array(receipt) }),
  run: async (services, organizationId, _input, context) => {
    const closed = await closeOrganization(services, organizationId, context);
    if (!closed.ok)
      return closed.refusal === 'organization-unknown'
        ? unknown(organizationId)
        : {
            ok: false,
            refusal: closed.refusal,
            message:
              'the organization is closed, but its add-ons are not deactivated yet, because the read models are behind: repeat the command',
          };
    const { changed, receipts, position } = closed;
    const text = `${changed ? 'Closed' : 'It was closed before'}; deactivated add-ons: ${receipts.length}.`;
    return { ok: true, text, position, json: { receipts } };
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
    state: 'open',
  } satisfies OrganizationItem,
  filters,
  columns: {
    organization_id: 'Organization',
    name: 'Name',
    external_id: 'External id',
    administrators: 'Administrators',
    state: 'State',
  },
  show,
  list,
  stream: organizationStream,
  tasks: [rename, setExternalId, addAdministrator, removeAdministrator, close],
  making: [create],
});
