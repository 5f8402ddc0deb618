import { z } from 'zod';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { Role } from '../../domain/people/account.ts';
import { flag, nameField, reference, secret, several, text } from '../fields.ts';
import { inviteBy, linkAnswer } from './password-links.ts';
import { task, type Services, type TaskOutcome } from '../task.ts';
import { organizationNow } from '../../eventstore/state-of.ts';
import { english } from '../../common/words.ts';

const { fields, user: texts } = english.tasks;

const input = z.object({
  email: text(texts.fields.email, 254),
  name: nameField(texts.fields.name),
  password: secret(texts.create.fields.password).optional(),
  administrator_of: several(reference(fields.administrator_of, 'organization')).optional(),
  auditor: flag(fields.auditor).optional(),
  auditor_of: several(reference(fields.auditor_of, 'organization')).optional(),
  operator: flag(fields.operator).optional(),
});

type Input = z.infer<typeof input>;

export const createUser = task({
  name: 'create',
  ...texts.create,
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
    known[index] ? [] : [{ field: `${field}[${index}]`, message: english.problems.noOrganization }],
  );
};
