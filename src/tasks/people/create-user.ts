import { z } from 'zod';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { Role } from '../../domain/people/account.ts';
import { flag, reference, secret, several, text } from '../fields.ts';
import { inviteBy, linkAnswer } from './password-links.ts';
import { task, type Services, type TaskOutcome } from '../task.ts';
import { organizationNow } from '../../eventstore/state-of.ts';

const input = z.object({
  email: text({ title: 'E-mail address', description: 'e-mail address for signing in' }, 1000),
  name: text({ title: 'Name', description: 'name of the person' }),
  password: secret({
    title: 'Password',
    description: 'the password; without it the account is invited, and the answer has a link to choose one',
  }).optional(),
  administrator_of: several(
    reference(
      { title: 'Administrator of', description: 'organization_id of an organization to administer' },
      'organization',
    ),
  ).optional(),
  auditor: flag({
    title: 'Auditor',
    description: 'may read the audit log of each organization of auditor_of',
  }).optional(),
  auditor_of: several(
    reference(
      {
        title: 'Auditor of',
        description: 'organization_id of an organization whose audit log to read; needs auditor',
      },
      'organization',
    ),
  ).optional(),
  operator: flag({ title: 'Operator', description: 'may see the operator pages' }).optional(),
});

type Input = z.infer<typeof input>;

export const createUser = task({
  name: 'create',
  summary: 'Create an account',
  effect: 'No token is affected.',
  at: { method: 'POST', path: '' },
  command: { prints: ['user_id'], requires: ['password'] },
  isCreating: true,
  rules: [{ field: 'auditor_of', needs: 'auditor' }],
  input,
  adds: linkAnswer,
  run: async (services, _id, given, context) => {
    const { email, name, password, administrator_of = [], auditor_of = [] } = given;
    if (password === undefined) return invited(services, given, context);
    const outcome = await services.commands.createUser(
      {
        email,
        name,
        password,
        administratorOf: administrator_of,
        auditorOf: auditor_of,
        roles: rolesOf(given),
      },
      context,
    );
    if (!outcome.ok) return { ...outcome, message: messages[outcome.refusal] };
    const { userId } = outcome.value;
    return {
      ok: true,
      text: `Created the account of ${name} with user_id ${userId}.`,
      position: null,
      id: userId,
    };
  },
});

const messages = {
  'email-taken': 'another account has this e-mail address',
  'organization-unknown': 'an organization of administrator_of or auditor_of does not exist',
  invalid: 'the account cannot be created like this',
};

const rolesOf = ({ auditor, operator }: Input): readonly Role[] => [
  ...(auditor ? ['auditor' as const] : []),
  ...(operator ? ['operator' as const] : []),
];

/** An invitation whose account has the roles from the start. They are given before the link is out; a repeat completes them. */
const invited = async (services: Services, given: Input, context: CommandContext): Promise<TaskOutcome> => {
  const { email, name, administrator_of = [], auditor_of = [] } = given;
  const problems = [
    ...(await unknownAmong(services, 'administrator_of', administrator_of)),
    ...(await unknownAmong(services, 'auditor_of', auditor_of)),
  ];
  if (problems.length > 0)
    return {
      ok: false,
      refusal: 'organization-unknown',
      message: messages['organization-unknown'],
      problems,
    };
  return inviteBy(services, { email, name }, context, async (userId) => {
    const { commands } = services;
    for (const role of rolesOf(given)) await commands.grantRole({ userId, role }, context);
    for (const organizationId of administrator_of)
      await commands.addAdministrator({ organizationId, userId }, context);
    for (const organizationId of auditor_of) await commands.addAuditor({ organizationId, userId }, context);
  });
};

const unknownAmong = async ({ store }: Services, field: string, ids: readonly string[]) => {
  const known = await Promise.all(
    ids.map(async (id) => (await organizationNow(store, id)).status === 'created'),
  );
  return ids.flatMap((_id, index) =>
    known[index] ? [] : [{ field: `${field}[${index}]`, message: 'is not an organization' }],
  );
};
