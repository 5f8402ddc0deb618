import { z } from 'zod';
import { type RemovalRefusal } from '../../domain/organizations/organization.ts';
import { override, reference } from '../fields.ts';
import { linkedSentence } from '../people/show-user.ts';
import { givenTo } from '../people/to-whom.ts';
import { refusing } from '../outcomes.ts';
import { pageOf, task, type Json, type Part, type Task } from '../task.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { idOf, nameOf } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { organization: texts } = english.tasks;

const user = reference(texts.fields.user, 'user');
const adds = z.object({ member: idOf('user').optional(), changed: z.boolean().optional() });
const ofUser = (_id: string, { user: userId }: Json) => String(userId);
const command = { idOptions: ['organization'] };
const administrators = {
  ...command,
  prints: ['organization_id', 'name', 'administrators', 'member', 'changed'],
};

export const addAdministrator = task({
  name: 'add-administrator',
  ...texts['add-administrator'],
  at: { method: 'POST', path: 'administrators' },
  command: { ...administrators, prints: [...administrators.prints, 'given_to'] },
  input: z.object({ user }),
  adds: adds.extend(givenTo),
  toWhom: ofUser,
  run: async ({ commands, store }, organizationId, { user: userId }, context) => {
    const outcome = await commands.addAdministrator({ organizationId, userId }, context);
    if (!outcome.ok) return refused(outcome.refusal);
    const { changed, position } = outcome.value;
    const text = `${userId} administers ${organizationId}.${changed ? '' : ' Nothing changed.'}${await linkedSentence(store, userId)}`;
    return { ok: true, text, position: changed ? position : null, repeats: { member: userId } };
  },
});

export const removeAdministrator = task({
  name: 'remove-administrator',
  ...texts['remove-administrator'],
  at: { method: 'DELETE', path: 'administrators/{user}' },
  command: administrators,
  ends: [],
  of: { part: 'administrators', fields: { user: 'member' } },
  input: z.object({
    user,
    force: override(texts.fields.force, ['last-administrator']).optional(),
  }),
  adds,
  run: async ({ commands, store }, organizationId, { user: userId, force = false }, context) => {
    const outcome = await commands.removeAdministrator({ organizationId, userId, force }, context);
    if (!outcome.ok) return refused(outcome.refusal);
    const { changed, position } = outcome.value;
    const state = await organizationNow(store, organizationId);
    const isStill = state.status === 'created' && state.administrators.includes(userId);
    const by = isStill ? "administers it still, by the identity provider's claim" : 'does not administer it';
    const text = `${userId} ${by}: ${organizationId}.${changed ? '' : ' Nothing changed.'}`;
    return { ok: true, text, position: changed ? position : null, repeats: { member: userId } };
  },
});

/** Only who has the role can be one here. */
const auditorsAmongUsers: NonNullable<Task['among']>[string] = async ({ readModels }, _id, _shown, limit) =>
  (await readModels.users({ role: 'auditor' }, { after: null, limit, sort: 'name' })).rows.map(
    ({ id }) => id,
  );

const auditorAdds = z.object({ ...adds.shape, auditor: z.boolean().optional() });

const setAuditor = (auditor: boolean) =>
  task({
    name: auditor ? 'add-auditor' : 'remove-auditor',
    ...texts[auditor ? 'add-auditor' : 'remove-auditor'],
    at: auditor ? { method: 'POST', path: 'auditors' } : { method: 'DELETE', path: 'auditors/{user}' },
    command: {
      ...command,
      prints: ['organization_id', 'member', 'auditor', 'changed', ...(auditor ? ['given_to'] : [])],
    },
    input: z.object({ user }),
    adds: auditor ? auditorAdds.extend(givenTo) : auditorAdds,
    ...(auditor
      ? { toWhom: ofUser, among: { user: auditorsAmongUsers } }
      : { ends: [], of: { part: 'auditors', fields: { user: 'member' } } }),
    run: async ({ commands }, organizationId, { user: userId }, context) => {
      const request = { organizationId, userId };
      const outcome = await (auditor
        ? commands.addAuditor(request, context)
        : commands.removeAuditor(request, context));
      if (!outcome.ok) return refused(outcome.refusal);
      const { changed, position } = outcome.value;
      const text = `${userId} ${auditor ? 'may' : 'cannot'} read the audit log of ${organizationId}.${changed ? '' : ' It was so before.'}`;
      return { ok: true, text, position: changed ? position : null, repeats: { member: userId, auditor } };
    },
  });

export const addAuditor = setAuditor(true);
export const removeAuditor = setAuditor(false);

const messages = {
  'organization-unknown': 'organization not found',
  'user-unknown': 'user not found',
  'user-erased': 'the account was erased, which cannot be undone',
  'not-an-auditor': 'the account does not have the role auditor: give it that role first',
  'last-administrator':
    'the user is the last administrator of the organization who may sign in; to remove them all the same, use force',
  'administrator-by-claim':
    "the user administers the organization by the identity provider's claim: remove it there, or disable the user",
} satisfies Record<RemovalRefusal | 'user-unknown' | 'user-erased' | 'not-an-auditor', string>;

const refused = refusing(messages);

/** The people whom the organization's stream names. */
const members = (name: 'administrators' | 'auditors', summary: string): Part => ({
  name,
  summary,
  item: z.object({ member: idOf('user'), name: nameOf().nullable() }),
  example: { member: '01JD0Z9X7V5T3R1P9N7L5K3J1H', name: 'Ada Lovelace' },
  columns: texts.parts[name],
  list: async ({ store, readModels }, organizationId, page) => {
    const state = await organizationNow(store, organizationId);
    const ids = state.status === 'created' ? state[name] : [];
    const { items, next } = pageOf(
      ids.map((id) => ({ member: id })),
      ({ member }) => member,
      page,
    );
    const names = await readModels.namesOf(items.map(({ member: id }) => String(id)));
    return {
      items: items.map((item) => ({ ...item, name: names.get(String(item['member'])) ?? null })),
      next,
    };
  },
});

export const organizationAdministrators = members('administrators', 'List the administrators');
export const organizationAuditors = members('auditors', 'List those who may read the audit log');
