import { z } from 'zod';
import type { GivenRole, UpdateUser } from '../../commands/people/accounts/update-user.ts';
import { flag, list } from '../fields.ts';
import { userRoles, type UserItem } from './show-user.ts';

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

/** The roles of a user that were given by hand, as a whole list. */
export const declaredRoles = z.object({
  roles: list(role).optional(),
  force: flag({
    title: 'Force',
    description: 'also the last operator, or the last administrator of an organization',
  }).optional(),
});

type Listed = Pick<UserItem['roles'][number], 'role'> & {
  readonly organization_id?: string | null | undefined;
  readonly publisher_id?: string | null | undefined;
};

/** Which roles are to be given and taken, so that those by hand are the `wanted` ones. */
export const roleChanges = (
  { roles }: UserItem,
  wanted: readonly Listed[],
): Pick<UpdateUser, 'give' | 'take'> => {
  const present = keyed(roles.filter(({ source }) => source === 'manual'));
  const after = keyed(wanted);
  const missing = (some: typeof after, others: typeof after) =>
    [...some].flatMap(([key, one]) => (others.has(key) ? [] : [one]));
  return { give: missing(after, present), take: missing(present, after) };
};

const keyed = (roles: readonly Listed[]): ReadonlyMap<string, GivenRole> =>
  new Map(
    roles.map(({ role: name, organization_id: organizationId, publisher_id: publisherId }) => [
      [name, organizationId ?? publisherId ?? ''].join(' '),
      name === 'administrator'
        ? { role: name, organizationId: organizationId ?? '' }
        : name === 'publisher'
          ? { role: name, publisherId: publisherId ?? '' }
          : { role: name },
    ]),
  );
