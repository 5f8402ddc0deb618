import { z } from 'zod';
import { flag, list } from '../fields.ts';
import { task, type Services, type TaskOutcome } from '../task.ts';
import { showUser, userRefusals, userRoles, type UserItem } from './show-user.ts';

const role = z
  .strictObject({
    role: z.enum(userRoles),
    organization_id: z.string().max(64).nullish(),
    publisher_id: z.string().max(64).nullish(),
    source: z.literal('manual').optional(),
  })
  .refine(({ role: name, organization_id: id }) => (name === 'administrator') === (typeof id === 'string'))
  .refine(({ role: name, publisher_id: id }) => (name === 'publisher') === (typeof id === 'string'))
  .meta({
    title: 'Roles',
    description: 'the roles that were given by hand; those by claim stay',
    'x-allowed': `{role, organization_id, publisher_id}: a role out of ${userRoles.join(', ')}, with an organization_id for administrator alone, and a publisher_id for publisher alone; roles by claim cannot be set`,
  });

type Role = Pick<UserItem['roles'][number], 'role' | 'organization_id' | 'publisher_id'>;

const isSame = (one: Role, other: Role) =>
  one.role === other.role &&
  one.organization_id === other.organization_id &&
  one.publisher_id === other.publisher_id;

/** The roles of a user that were given by hand, as a whole list. */
export const declareRoles = task({
  name: 'set-roles',
  summary: 'Replace the roles that were given by hand',
  effect:
    'Sessions and administrator tokens of the user can no longer use a role that is not in the list; administrator tokens for an organization that the user no longer administers are revoked.',
  isProperty: true,
  input: z.object({
    roles: list(role).optional(),
    force: flag({
      title: 'Force',
      description: 'also the last operator, or the last administrator of an organization',
    }).optional(),
  }),
  run: async (services, userId, { roles = null, force = false }, context) => {
    const shown = await showUser(services, userId);
    if (shown === null) return { ok: false, refusal: 'user-unknown', message: 'user not found' };
    const present: readonly Role[] = shown.roles.filter(({ source }) => source === 'manual');
    const wanted: readonly Role[] = (roles ?? present).map((one) => ({
      role: one.role,
      organization_id: one.organization_id ?? null,
      publisher_id: one.publisher_id ?? null,
    }));
    const added = wanted.filter((one) => !present.some((other) => isSame(one, other)));
    const removed = present.filter((one) => !wanted.some((other) => isSame(one, other)));
    let position: Extract<TaskOutcome, { readonly ok: true }>['position'] = null;
    for (const [change, some] of [
      ['give', added],
      ['take', removed],
    ] as const)
      for (const one of some) {
        const outcome = await changeRole(services, change, { userId, force, one }, context);
        if (!outcome.ok) return { ...outcome, message: userRefusals[outcome.refusal] ?? outcome.refusal };
        if (outcome.value.changed) ({ position } = outcome.value);
      }
    return { ok: true, text: position === null ? 'It was so before.' : 'Replaced.', position };
  },
});

type Change = { readonly userId: string; readonly force: boolean; readonly one: Role };

const changeRole = (
  { commands }: Services,
  change: 'give' | 'take',
  { userId, force, one: { role: name, organization_id: organizationId, publisher_id: publisherId } }: Change,
  context: Parameters<Services['commands']['grantRole']>[1],
) => {
  if (name === 'administrator' && organizationId !== null)
    return change === 'give'
      ? commands.addAdministrator({ userId, organizationId }, context)
      : commands.removeAdministrator({ userId, organizationId, force }, context);
  if (name === 'publisher' && publisherId !== null)
    return change === 'give'
      ? commands.addPublisherMember({ userId, publisherId }, context)
      : commands.removePublisherMember({ userId, publisherId }, context);
  const request = { userId, role: name as Exclude<typeof name, 'administrator' | 'publisher'> };
  return change === 'give'
    ? commands.grantRole(request, context)
    : commands.removeRole({ ...request, force }, context);
};
