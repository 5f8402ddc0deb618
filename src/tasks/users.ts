import { breakGlass } from '../domain/kernel/actor.ts';
import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import type { Changed, Outcome } from '../commands/kernel/outcome.ts';
import { isUlid } from '../domain/kernel/ids.ts';
import { looksLikeAddress } from '../domain/kernel/name.ts';
import { accountStream } from '../domain/streams.ts';
import { named } from './named.ts';
import { changedTo, refusing } from './outcomes.ts';
import { declaredRoles, roleChanges } from './people/declared-roles.ts';
import { createUser } from './people/create-user.ts';
import { eraseUser } from './people/erasures.ts';
import { id, nameField, oneOf, override, reference, text } from './fields.ts';
import { invite, resetPassword, setPassword } from './people/password-links.ts';
import {
  linkedSentence,
  showUser,
  userRefusals,
  userRoles,
  userShape,
  type UserItem,
} from './people/show-user.ts';
import { givenTo } from './people/to-whom.ts';
import { endSessions, sessions } from './people/user-sessions.ts';
import { createToken, revokeToken, tokens } from './people/user-tokens.ts';
import { entity, sortedBy, task, toItself, type Services, type TaskOutcome } from './task.ts';
import { aboutUser } from './answer-fields.ts';
import { english } from '../common/words.ts';

const { fields, user: texts } = english.tasks;

const filters = z.object({
  search: text(texts.filters.search, 254).optional(),
  organization: reference(texts.filters.organization, 'organization').optional(),
  role: oneOf(texts.filters.role, userRoles).optional(),
  sort: sortedBy('created_at', 'name', 'email'),
});

type Done = Pick<Changed, 'position'> & Partial<Changed>;

const done = (outcome: Outcome<Done, keyof typeof userRefusals>, said: string): TaskOutcome => {
  if (!outcome.ok) return { ...outcome, message: userRefusals[outcome.refusal] };
  return changedTo({ changed: true, ...outcome.value }, said, 'It was so before: nothing changed.');
};

const refused = refusing(userRefusals);

const properties = {
  name: nameField(texts.fields.name),
  email: text(texts['set-email'].fields.email, 254),
};

type Change = Partial<z.infer<z.ZodObject<typeof properties>>> & z.infer<typeof declaredRoles>;

const change = async (
  services: Services,
  userId: string,
  { name, email, roles, force = false }: Change,
  context: CommandContext,
  said = 'Changed.',
): Promise<TaskOutcome> => {
  const shown = roles === undefined ? null : await showUser(services, userId);
  const given = {
    userId,
    force,
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(shown && roles && roleChanges(shown, roles)),
  };
  return done(await services.commands.updateUser(given, context), said);
};

const rename = task({
  name: 'rename',
  ...texts.rename,
  input: z.object({ name: properties.name }),
  isProperty: true,
  run: (services, userId, input, context) => change(services, userId, input, context, 'Renamed.'),
});

const setEmail = task({
  name: 'set-email',
  ...texts['set-email'],
  input: z.object({ email: properties.email }),
  isProperty: true,
  run: (services, userId, input, context) =>
    change(services, userId, input, context, 'The e-mail address was changed.'),
});

const roleFields = {
  role: oneOf(texts.fields.role, userRoles),
  organization: reference(texts.fields.organization, 'organization').optional(),
  publisher: reference(texts.fields.publisher, 'publisher').optional(),
};

type RoleInput = Pick<z.infer<z.ZodObject<typeof roleFields>>, 'role' | 'organization' | 'publisher'>;

/** What the role is for, or why the fields do not fit each other. */
const readRole = ({ role, organization, publisher }: RoleInput) => {
  if (role !== 'administrator' && organization !== undefined) return 'organization-needless';
  if (role !== 'publisher' && publisher !== undefined) return 'publisher-needless';
  if (role === 'administrator')
    return organization === undefined
      ? 'organization-missing'
      : ({ role, organizationId: organization } as const);
  if (role === 'publisher')
    return publisher === undefined ? 'publisher-missing' : ({ role, publisherId: publisher } as const);
  return { role } as const;
};

const ofPublisher = (outcome: Parameters<typeof done>[0], said: string): TaskOutcome =>
  outcome.ok || outcome.refusal !== 'publisher-unknown'
    ? done(outcome, said)
    : {
        ok: false,
        refusal: 'invalid',
        message: 'there is no such publisher; grantbook publisher list finds publishers',
        problems: [{ field: 'publisher', message: english.problems.noPublisher }],
      };

/** Whether it is this role, and one that an account has once. */
const isEverywhere = (role: string) => (one: UserItem['roles'][number]) =>
  one.role === role && one.source === 'manual' && one.organization_id === null && one.publisher_id === null;

const grantRole = task({
  name: 'grant-role',
  ...texts['grant-role'],
  into: 'roles',
  input: z.object(roleFields),
  among: {
    role: (_services, _id, shown) =>
      Promise.resolve(
        userRoles.filter((role) => !(shown['roles'] as UserItem['roles']).some(isEverywhere(role))),
      ),
  },
  toWhom: toItself,
  adds: z.object(givenTo),
  run: async ({ commands, store }, userId, input, context) => {
    const given = readRole(input);
    if (typeof given === 'string') return refused(given);
    const said = `The user has the role ${given.role}.${await linkedSentence(store, userId)}`;
    switch (given.role) {
      case 'administrator':
        return done(await commands.addAdministrator({ ...given, userId }, context), said);
      case 'publisher':
        return ofPublisher(await commands.addPublisherMember({ ...given, userId }, context), said);
      case 'auditor':
      case 'operator':
        return done(await commands.grantRole({ userId, role: given.role }, context), said);
    }
  },
});

const removeRole = task({
  name: 'remove-role',
  ...texts['remove-role'],
  ends: [],
  of: {
    part: 'roles',
    fields: { role: 'role', organization: 'organization_id', publisher: 'publisher_id' },
    isPossible: ({ source }) => source === 'manual',
  },
  input: z.object({
    ...roleFields,
    force: override(texts['remove-role'].fields.force, ['last-administrator', 'last-operator']).optional(),
  }),
  run: async ({ commands }, userId, { force = false, ...input }, context) => {
    const given = readRole(input);
    if (typeof given === 'string') return refused(given);
    const said = `The role ${given.role} was removed.`;
    switch (given.role) {
      case 'administrator':
        return done(await commands.removeAdministrator({ ...given, userId, force }, context), said);
      case 'publisher':
        return ofPublisher(await commands.removePublisherMember({ ...given, userId }, context), said);
      case 'auditor':
      case 'operator':
        return done(await commands.removeRole({ userId, role: given.role, force }, context), said);
    }
  },
});

const providerField = text(fields.provider, 32);

const link = task({
  name: 'link',
  ...texts.link,
  into: 'identities',
  input: z.object({
    provider: providerField,
    subject: text(fields.subject, 255),
  }),
  run: async ({ commands, providers }, userId, { provider, subject }, context) => {
    const issuer = providers.find((known) => known.id === provider)?.issuer;
    if (issuer === undefined) return refused('provider-unknown');
    return done(await commands.linkIdentity({ userId, provider, issuer, subject }, context), 'Linked.');
  },
});

const unlink = task({
  name: 'unlink',
  ...texts.unlink,
  ends: ['sessions'],
  of: { part: 'identities', fields: { provider: 'provider' } },
  input: z.object({ provider: providerField }),
  run: async ({ commands }, userId, { provider }, context) =>
    done(await commands.unlinkIdentity({ userId, provider }, context), 'Unlinked.'),
});

const removePasskey = task({
  name: 'remove-passkey',
  ...texts['remove-passkey'],
  ends: [],
  of: { part: 'passkeys', fields: { passkey: 'passkey_id' } },
  input: z.object({ passkey: id(fields.passkey) }),
  run: async ({ commands }, userId, { passkey }, context) =>
    done(await commands.removePasskey({ userId, passkeyId: passkey, by: breakGlass }, context), 'Removed.'),
});

/** Blocked networks stay blocked: other accounts may be the reason. */
const unlock = task({
  name: 'unlock',
  ...texts.unlock,
  input: z.object({}),
  answers: {
    shape: z.object({ user_id: aboutUser(), forgotten: z.int() }),
    example: { user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H', forgotten: 2 },
  },
  run: async ({ commands }, userId, _input, context) => {
    const outcome = await commands.unblockSignIn(userId, context);
    if (!outcome.ok) return refused(outcome.refusal);
    const { forgotten } = outcome.value;
    const text = `Reset ${forgotten} counters of failed sign-ins of ${userId}.`;
    return { ok: true, text, position: null, json: { user_id: userId, forgotten } };
  },
});

const disable = task({
  name: 'disable',
  ...texts.disable,
  isUseful: ({ state }) => state === 'enabled',
  isConfirmed: true,
  ends: ['sessions', 'grants'],
  input: z.object({
    force: override(texts.fields.force, ['own-account', 'last-operator']).optional(),
  }),
  run: async ({ commands }, userId, { force = false }, context) =>
    context.acting?.actor === userId && !force
      ? refused('own-account')
      : done(await commands.disableUser({ userId, force }, context), 'Disabled: the user cannot sign in.'),
});

const enable = task({
  name: 'enable',
  ...texts.enable,
  isUseful: ({ state }) => state === 'disabled',
  input: z.object({}),
  run: async ({ commands }, userId, _input, context) =>
    done(await commands.enableUser(userId, context), 'Enabled: the user may sign in again.'),
});

/** Accounts of people: who they are, how they sign in, and their roles. */
export const users = entity({
  name: 'user',
  plural: 'users',
  idKey: 'user_id',
  shape: userShape,
  example: {
    user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    email_verified: true,
    roles: [
      {
        role: 'administrator',
        organization_id: '01JD1A3C5E7G9J1M3P5R7T9W1Y',
        publisher_id: null,
        source: 'manual',
      },
    ],
    identities: [],
    passkeys: [],
    state: 'enabled',
    disabled: false,
    erased: false,
  } satisfies UserItem,
  filters,
  columns: texts.columns,
  show: showUser,
  list: async (services, { search, organization, role, sort }, page) => {
    const filter = { search, organizationId: organization, role };
    const { rows, ...listed } = await services.readModels.users(filter, { ...page, sort });
    const items = await Promise.all(rows.map(({ id }) => showUser(services, id)));
    return { items: items.filter((item) => item !== null), ...listed };
  },
  isId: isUlid,
  find: async (services, text) => {
    const userId = text.includes('@') ? await services.commands.userOfAddress(text) : null;
    const shown = userId === null ? null : await showUser(services, userId);
    return shown ? [{ id: shown.user_id, name: shown.name }] : [];
  },
  offer: async (services, text) =>
    looksLikeAddress(text)
      ? []
      : named(services, 'user', text, showUser, ({ email, email_verified }) => ({ email, email_verified })),
  stream: accountStream,
  tasks: [
    rename,
    setEmail,
    setPassword,
    resetPassword,
    grantRole,
    removeRole,
    link,
    unlink,
    removePasskey,
    endSessions,
    disable,
    enable,
    unlock,
    createToken,
    revokeToken,
    eraseUser,
  ],
  making: [createUser, invite],
  change,
  declares: declaredRoles,
  parts: [sessions, tokens],
});
