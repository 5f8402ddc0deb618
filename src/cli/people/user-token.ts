import type { Command } from 'commander';
import { findAccount } from '../../commands/people/accounts/find-account.ts';
import type {
  AdministratorTokenItem,
  ListedAdministratorToken,
} from '../../commands/people/tokens/list-administrator-tokens.ts';
import type { Role } from '../../domain/people/account.ts';
import { tokenDays, tokensADay, tokensAllowed } from '../../domain/people/administrator-token.ts';
import { loadAccount } from '../../commands/people/accounts/load-account.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { CliIo } from '../base/cli-io.ts';
import { answer, refused, table, type Answer } from '../base/answer.ts';
import { changing, leaf, type Run } from '../base/define.ts';
import { parseDays, parseId, parseName } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

type Whose = { readonly email?: string; readonly user?: string };
type CreateOptions = Whose & {
  readonly organization?: string;
  readonly name: string;
  readonly days: number;
};

/** Tokens with which programs act for a user as an administrator (AC-04), or on the command line (HI-06). */
export const addTokenCommands = (user: Command, io: CliIo, run: Run): void => {
  const token = user
    .command('token')
    .description('tokens for the programs of an administrator, an operator or an auditor');
  const ofUser = (name: string, description: string, define = changing) =>
    define(token, name, description)
      .option('--email <email>', 'e-mail address of the user')
      .option('--user <id>', 'or the user_id of the account', parseId);
  const add = <O extends Whose>(
    command: Command,
    action: (service: CliService, userId: string, options: O, argument: string) => Promise<Answer>,
  ) =>
    command.action((...given: readonly unknown[]) => {
      const argument = given.length === 3 ? String(given[0]) : '';
      const options = command.opts<O>();
      if ((options.email === undefined) === (options.user === undefined))
        command.error('error: exactly one of --email and --user is required');
      return run(() =>
        withService(io, async (service) => {
          const userId = options.user ?? (await userIdOf(service, options.email ?? ''));
          return userId === null
            ? refused('user-unknown', `no user signs in with ${options.email}`)
            : action(service, userId, options, argument);
        }),
      );
    });

  const made = ofUser('create', 'create a token and print it once')
    .option('--organization <id>', 'limit the token to this organization (default: all of the user)', parseId)
    .requiredOption('--name <name>', 'name of the program that uses it', parseName)
    .option(
      '--days <days>',
      `when it expires: in ${tokenDays.least} to ${tokenDays.most} days`,
      parseDays,
      tokenDays.usual,
    );
  add<CreateOptions>(made, create);
  add(ofUser('list', 'list the valid tokens, without their values', leaf), list);
  add(
    ofUser('revoke', 'revoke a token at once').argument(
      '<token>',
      'token_id, as printed by create and list',
      parseId,
    ),
    revoke,
  );
};

const userIdOf = async ({ store, keysOfPersons }: CliService, email: string): Promise<string | null> => {
  const { account } = await findAccount({ store, persons: keysOfPersons.persons, now: Date.now }, email);
  return account.status === 'absent' ? null : account.userId;
};

const create = async (
  service: CliService,
  userId: string,
  { organization = null, name, days }: Omit<CreateOptions, 'organization'> & { organization?: string | null },
): Promise<Answer> => {
  const { commands, readModels, store, actor } = service;
  if (organization === null) {
    await service.settle();
    const [administered, roles] = await Promise.all([
      readModels.organizationsAdministeredBy(userId),
      rolesOf(store, userId),
    ]);
    if (administered.length === 0 && roles.length === 0)
      return refused(
        'not-an-administrator',
        'the user administers no organization, and is neither an operator nor an auditor',
      );
  }
  const request = { userId, organizationId: organization, name, days, by: actor.by };
  const outcome = await commands.issueAdministratorToken(request);
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal], outcome.problems);
  const { token, ...item } = outcome.value;
  return answer(
    { user_id: userId, ...shown(item), token },
    `Made the token ${item.tokenId}; it expires ${timeOf(item.expiresAt)}.\nThe token, shown only now: ${token}`,
  );
};

const rolesOf = async (store: CliService['store'], userId: string): Promise<readonly Role[]> => {
  if (!isUlid(userId)) return [];
  const { account } = await loadAccount(store, userId);
  return account.status === 'absent' ? [] : account.roles;
};

const list = async ({ commands }: CliService, userId: string): Promise<Answer> => {
  const tokens = await commands.listAdministratorTokens(userId);
  return answer(
    {
      user_id: userId,
      tokens: tokens.map((token) => ({ ...shown(token), provider_rights_until: rightsUntil(token) })),
    },
    table(
      ['token_id', 'name', 'organization', 'made', 'expires', 'provider_rights_until'],
      tokens.map(({ tokenId, name, organizationId, issuedAt, expiresAt, claimsCountUntil }) => [
        tokenId,
        name,
        organizationId ?? 'all',
        timeOf(issuedAt),
        timeOf(expiresAt),
        rightsUntil({ claimsCountUntil }) ?? 'no such rights',
      ]),
    ),
  );
};

const revoke = async (
  { commands, actor }: CliService,
  userId: string,
  _options: Whose,
  tokenId: string,
): Promise<Answer> => {
  const outcome = await commands.revokeAdministratorToken({ userId, tokenId, by: actor.by });
  if (!outcome.ok) return refused(outcome.refusal, `the user has no valid token ${tokenId}`);
  return answer({ user_id: userId, token_id: tokenId, revoked: true }, `Revoked: ${tokenId} opens nothing.`);
};

const timeOf = (instant: number): string => new Date(instant).toISOString();

/** In the past where a sign-in has to confirm them first. Null where no right of the user came from a claim. */
const rightsUntil = ({ claimsCountUntil: until }: Pick<ListedAdministratorToken, 'claimsCountUntil'>) =>
  until === null ? null : timeOf(until);

const shown = ({ tokenId, organizationId, name, issuedAt, expiresAt }: AdministratorTokenItem) => ({
  token_id: tokenId,
  organization_id: organizationId,
  name,
  issued_at: timeOf(issuedAt),
  expires_at: timeOf(expiresAt),
});

const refusals = {
  invalid: 'the token cannot be made like this',
  'user-unknown': 'no account has this user_id',
  'user-disabled': 'the account is disabled',
  'not-an-administrator': 'the user does not administer the organization',
  'name-taken': 'the user has a valid token of this name',
  'too-many-tokens': `the user has ${tokensAllowed} valid tokens, which is the maximum`,
  'too-many-tokens-today': `${tokensADay} tokens were created for the user within a day, which is the maximum`,
};
