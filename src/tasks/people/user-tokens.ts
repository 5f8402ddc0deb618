import { breakGlass } from '../../domain/kernel/actor.ts';
import { z } from 'zod';
import { timeOf, timeOrNull } from '../../common/iso-time.ts';
import type { AdministratorTokenItem } from '../../commands/people/tokens/list-administrator-tokens.ts';
import type { DeliveredLink } from '../../mail/deliver-link.ts';
import { tokenDays, tokensADay, tokensAllowed } from '../../domain/people/administrator-token.ts';
import { given, nameField, reference, text, whole } from '../fields.ts';
import { pageOf, task, type Part, type Services, type TaskOutcome } from '../task.ts';
import { accountNow } from '../../eventstore/state-of.ts';
import { aboutUser, idOf, shown } from '../answer-fields.ts';
import { english } from '../../common/words.ts';

const { fields, user: texts } = english.tasks;

const ids = ['email', 'user'];

const item = {
  token_id: z.string(),
  organization_id: idOf('organization', 'm').nullable().describe('`null`: all that the user administers.'),
  name: z.string(),
  issued_at: shown(z.string(), { from: 'l' }).meta({ format: 'date-time' }),
  expires_at: shown(z.string(), { from: 'm' }).meta({ format: 'date-time' }),
  made_by: idOf('user').describe('A user, or `break-glass`.'),
  made_with: z
    .string()
    .nullable()
    .describe('The token with which it was made: it ends with that one. `null`: with none.'),
};

const example = {
  token_id: '01JD2E5G7J9L1N3Q5S7V9X1Z3C',
  organization_id: null,
  name: 'nightly export',
  issued_at: '2026-03-02T08:15:00.000Z',
  expires_at: '2026-04-01T08:15:00.000Z',
  made_by: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
  made_with: null,
};

/** Tokens with which programs act for a user as an administrator (AC-04), or on the command line (HI-06). */
export const createToken = task({
  name: 'create-token',
  ...texts['create-token'],
  at: { method: 'POST', path: 'tokens' },
  command: { words: 'user token create', idOptions: ids },
  isCreating: true,
  among: {
    organization: async ({ readModels }, userId) =>
      (await readModels.organizationsAdministeredBy(userId)).map(({ organizationId }) => organizationId),
  },
  input: z.object({
    organization: reference(texts['create-token'].fields.organization, 'organization').optional(),
    name: nameField(texts['create-token'].fields.name),
    days: whole(
      given(fields.days, tokenDays.least, tokenDays.most, tokenDays.usual),
      tokenDays.least,
      tokenDays.most,
    ).optional(),
  }),
  answers: {
    shape: z.object({
      user_id: aboutUser(),
      ...item,
      token: z.string(),
      told_by_mail: z
        .boolean()
        .nullable()
        .describe(
          'Whether a mail told the user that somebody else made it. `null`: nobody else did, or no mail server is configured.',
        ),
    }),
    example: { user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H', ...example, token: 'mkt_admin_…', told_by_mail: null },
  },
  run: async (services, userId, { organization = null, name, days = tokenDays.usual }, context) => {
    if (organization === null && !(await hasRights(services, userId)))
      return {
        ok: false,
        refusal: 'not-an-administrator',
        message: 'the user administers no organization, and is neither an operator nor an auditor',
      };
    const request = { userId, organizationId: organization, name, days, by: breakGlass };
    const outcome = await services.commands.issueAdministratorToken(request, context);
    if (!outcome.ok) return { ...outcome, message: messages[outcome.refusal] };
    const { token, toTell, ...made } = outcome.value;
    const { expiresAt } = made;
    const told = toTell && (await services.deliverLink({ kind: 'token', token: null, expiresAt, ...toTell }));
    return {
      ok: true,
      text: `Made the token ${made.tokenId}; it expires ${timeOf(expiresAt)}.${told ? ` ${howTold(told)}` : ''}\nThe token, shown only now: ${token}`,
      position: null,
      json: { user_id: userId, ...presentToken(made), token, told_by_mail: told?.mailed ?? null },
    };
  },
});

const howTold = ({ mailed, problem }: DeliveredLink): string =>
  mailed === true
    ? 'A mail has told the person.'
    : `The person sees it at /account: ${problem ?? 'no mail server is configured'}.`;

const hasRights = async ({ readModels, settle, store }: Services, userId: string): Promise<boolean> => {
  const account = await accountNow(store, userId);
  if (account.status === 'absent' || account.roles.length > 0) return true;
  await settle();
  return (await readModels.organizationsAdministeredBy(userId)).length > 0;
};

export const revokeToken = task({
  name: 'revoke-token',
  ...texts['revoke-token'],
  at: { method: 'DELETE', path: 'tokens/{token}' },
  command: { words: 'user token revoke', idOptions: ids },
  argument: 'token',
  of: { part: 'tokens', fields: { token: 'token_id' } },
  ends: [],
  input: z.object({
    token: text(fields.token),
  }),
  answers: {
    shape: z.object({ user_id: aboutUser(), token_id: z.string(), revoked: z.literal(true) }),
    example: {
      user_id: '01JD0Z9X7V5T3R1P9N7L5K3J1H',
      token_id: example.token_id,
      revoked: true,
    },
  },
  run: async ({ commands }, userId, { token: tokenId }, context): Promise<TaskOutcome> => {
    const outcome = await commands.revokeAdministratorToken({ userId, tokenId, by: breakGlass }, context);
    if (!outcome.ok)
      return { ok: false, refusal: outcome.refusal, message: `the user has no valid token ${tokenId}` };
    return {
      ok: true,
      text: `Revoked: ${tokenId} opens nothing.`,
      position: null,
      json: { user_id: userId, token_id: tokenId, revoked: true },
    };
  },
});

export const tokens: Part = {
  name: 'tokens',
  summary: 'List the valid tokens, without their values',
  item: z.object({
    ...item,
    provider_rights_until: z
      .string()
      .meta({ format: 'date-time' })
      .nullable()
      .describe(
        'Until when it has the rights that a provider’s claim gave the user; in the past where a sign-in has to confirm them first. `null`: none came from a claim.',
      ),
  }),
  example: { ...example, provider_rights_until: null },
  columns: texts.parts.tokens,
  command: { words: 'user token list', idOptions: ids, prints: 'tokens' },
  list: async ({ commands }, userId, page) =>
    pageOf(
      (await commands.listAdministratorTokens(userId)).map((token) => ({
        ...presentToken(token),
        provider_rights_until: timeOrNull(token.claimsCountUntil),
      })),
      ({ token_id: id }) => id,
      page,
    ),
};

const presentToken = ({
  tokenId,
  organizationId,
  name,
  issuedAt,
  expiresAt,
  madeBy,
}: AdministratorTokenItem) => ({
  token_id: tokenId,
  organization_id: organizationId,
  name,
  issued_at: timeOf(issuedAt),
  expires_at: timeOf(expiresAt),
  made_by: madeBy.actor,
  made_with: madeBy.tokenId,
});

const messages = {
  invalid: 'the token cannot be made like this',
  'user-unknown': 'no account has this user_id',
  'user-disabled': 'the account is disabled',
  'not-an-administrator': 'the user does not administer the organization',
  'name-taken': 'the user has a valid token of this name',
  'too-many-tokens': `the user has ${tokensAllowed} valid tokens, which is the maximum`,
  'too-many-tokens-today': `${tokensADay} tokens were created for the user within a day, which is the maximum`,
};
