import { breakGlass } from '../../../domain/kernel/actor.ts';
import {
  type AdministratorToken,
  administratorTokenDecider,
  daysProblem,
  issueAdministratorToken,
  type IssueTokenRefusal,
} from '../../../domain/people/administrator-token.ts';
import { addressOf } from '../../../domain/people/account.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { nameProblem, normaliseName } from '../../../domain/kernel/name.ts';
import { administratorTokensStream } from '../../../domain/streams.ts';
import { mintAdministratorToken } from '../../credentials/administrator-token-text.ts';
import type { Instant } from '../../../domain/kernel/decision.ts';
import type { EventStore } from '../../../eventstore/event-store.ts';
import type { Acting, CommandContext } from '../../kernel/context.ts';
import { makeIsAdministrator } from '../../organizations/is-administrator.ts';
import type { AdministratorTokenItem } from './list-administrator-tokens.ts';
import type { PasswordLink } from '../credentials/password-links.ts';
import { isSameEnding, loadAccount } from '../accounts/load-account.ts';
import { actorsBehind, issuedToken, loadAdministratorTokens } from './load-administrator-tokens.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import { type FieldProblem, type OutcomeWithProblems, problemsAmong } from '../../kernel/outcome.ts';
import { makeRevokeAdministratorToken } from './revoke-administrator-token.ts';
import { newSalt } from '../../credentials/secrets.ts';
import { handleRetrying } from '../../kernel/handle-retrying.ts';

export type IssueAdministratorToken = {
  readonly userId: string;
  /** Null: valid for all organizations that the user administers at the moment of use. */
  readonly organizationId: string | null;
  readonly name: string;
  /** Its lifetime: 1 to 365. */
  readonly days: number;
  /** User id, or `break-glass`. */
  readonly by: string;
  /** A new one by default. An id that was issued before makes no other token: what is answered is then not valid. */
  readonly tokenId?: string;
};

export type IssueAdministratorTokenRefusal =
  'invalid' | 'user-unknown' | 'user-disabled' | 'not-an-administrator' | IssueTokenRefusal;

export type IssuedAdministratorToken = AdministratorTokenItem & {
  readonly token: string;
  /** Who gets a mail that somebody else made it; null where nobody else did. */
  readonly toTell: Pick<PasswordLink, 'name' | 'email' | 'language' | 'timeZone'> | null;
};

type Dependencies = Pick<CommandDependencies, 'store' | 'keys' | 'now' | 'newId'>;

const dayLength = 86_400_000;

/**
 * Issues a token that can do what the user may administer when it is used, and never more: neither the token nor its
 * event says what that is. One that is made with another token ends with that one. It is in this answer and never shown again; the log holds the salt it is derived from.
 */
export const makeIssueAdministratorToken = (dependencies: Dependencies) => {
  const { store, keys, now, newId } = dependencies;
  const isAdministrator = makeIsAdministrator(dependencies);
  const revoke = makeRevokeAdministratorToken(dependencies);
  return async (
    request: IssueAdministratorToken,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<IssuedAdministratorToken, IssueAdministratorTokenRefusal>> => {
    const { userId, organizationId, days, by } = request;
    const problems = problemsOf(request);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { once } = context ?? {};
    const issuedAt = once?.at ?? now();
    const { account, tokensEnded, ended } = await loadAdministratorTokens(store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (account.status !== 'enabled') return { ok: false, refusal: 'user-disabled' };
    if (organizationId !== null && !(await isAdministrator(organizationId, userId)))
      return { ok: false, refusal: 'not-an-administrator' };

    const madeBy = (by === breakGlass ? context?.acting : undefined) ?? { actor: by, tokenId: null };
    const until = await expiryOf(store, madeBy);
    const origin = { keyId: keys.current, salt: newSalt(once) };
    const item = {
      tokenId: request.tokenId ?? (once?.newId ?? newId)(),
      organizationId,
      name: normaliseName(request.name),
      issuedAt,
      expiresAt: Math.min(issuedAt + days * dayLength, until),
      madeBy,
    };
    const token: AdministratorToken = { ...item, ...origin };
    const { refusal } = await handleRetrying(
      store,
      administratorTokensStream(userId),
      administratorTokenDecider,
      (tokens) => issueAdministratorToken(tokens, { userId, token, ended }),
      { context, metadata: { actor: by } },
    );
    if (refusal !== undefined) return { ok: false, refusal };
    // If the user was disabled or removed, or got another password, in the meantime, the token's event came later and would not be ended by that.
    const since = await loadAccount(store, userId);
    const isOff = since.account.status !== 'enabled' || !isSameEnding(tokensEnded, since.tokensEnded);
    const isRemoved = organizationId !== null && !(await isAdministrator(organizationId, userId));
    if (isOff || isRemoved) {
      await revoke({ userId, tokenId: item.tokenId, by }, context);
      return { ok: false, refusal: isOff ? 'user-disabled' : 'not-an-administrator' };
    }
    const { name, language, timeZone } = account;
    const isOwn = [...(await actorsBehind(store, madeBy))].every((actor) => actor === userId);
    const toTell = isOwn ? null : { name, email: addressOf(account), language, timeZone };
    const text = mintAdministratorToken(keys, origin, { userId, ...item });
    return { ok: true, value: { ...item, token: text, toTell } };
  };
};

/** When the token ends with which another is made. If it has ended just now, so has what it makes. */
const expiryOf = async (store: EventStore, { actor, tokenId }: Acting): Promise<Instant> =>
  tokenId === null ? Infinity : ((await issuedToken(store, { actor, tokenId }))?.expiresAt ?? Infinity);

const problemsOf = ({ name, days }: IssueAdministratorToken): readonly FieldProblem[] =>
  problemsAmong([
    { field: 'name', message: nameProblem(normaliseName(name)) },
    { field: 'days', message: daysProblem(days) },
  ]);
