import { z } from 'zod';
import { flag, list, reference } from '../fields.ts';
import { changedTo } from '../outcomes.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { givenTo } from '../people/to-whom.ts';
import { task, type Json, type Services } from '../task.ts';

const users = (title: string, description: string) =>
  list(reference({ title, description }, 'user')).optional();

const messages: Readonly<Record<string, string>> = {
  'organization-unknown': 'organization not found',
  'administrator-by-claim':
    "somebody who is not in the list administers the organization by the identity provider's claim: remove it there, or disable the user",
  'last-administrator':
    'no administrator would be left who may sign in; to remove them all the same, use force',
  'members-invalid': 'the organization cannot have these people',
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

/** Who administers an organization and may read its audit log, as whole lists. */
export const declareMembers = task({
  name: 'set-members',
  summary: 'Replace the administrators and auditors',
  effect:
    'Administrator tokens for this organization of who is no administrator any more stop working immediately. Grants stay.',
  isProperty: true,
  toWhom: (id, input, services) => newMembers(services, id, input),
  adds: z.object(givenTo),
  input: z.object({
    administrators: users('Administrators', 'who administers the organization, by hand or by claim'),
    auditors: users('Auditors', 'who may read its audit log'),
    force: flag({ title: 'Force', description: 'also without an administrator who may sign in' }).optional(),
  }),
  run: async (
    { commands },
    organizationId,
    { administrators = null, auditors = null, force = false },
    context,
  ) => {
    const outcome = await commands.replaceMembers(
      {
        organizationId,
        administrators: administrators && [...new Set(administrators)],
        auditors: auditors && [...new Set(auditors)],
        force,
      },
      context,
    );
    return outcome.ok
      ? changedTo(outcome.value, 'Replaced.')
      : { ...outcome, message: messages[outcome.refusal] ?? outcome.refusal };
  },
});
