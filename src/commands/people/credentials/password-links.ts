import { english } from '../../../common/words.ts';
import { randomBytes } from 'node:crypto';
import {
  accountDecider,
  addressOf,
  choosePassword,
  inviteAccount,
  isLinkValid,
  issuePasswordLink,
  type KnownAccount,
  linkValidFor,
} from '../../../domain/people/account.ts';
import { unlinkAll } from '../../../domain/people/account-from-provider.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { normaliseName, personNameProblem } from '../../../domain/kernel/name.ts';
import { accountStream } from '../../../domain/streams.ts';
import type { Instant } from '../../../domain/kernel/decision.ts';
import { LogBehind, type Position } from '../../../eventstore/event-store.ts';
import { makeAccountClaims } from '../accounts/account-claims.ts';
import { makeApplyMapping } from '../accounts/apply-mapping.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { knownFrom } from '../../kernel/handle.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { AccountDependencies, CredentialDependencies } from '../dependencies.ts';
import type { SignInDependencies } from '../../sign-in/dependencies.ts';
import { type Outcome, type OutcomeWithProblems, problemsAmong } from '../../kernel/outcome.ts';
import { digestOfLink, mintPasswordLink, verifyPasswordLink } from '../../credentials/password-link-text.ts';
import { passwordProblem } from './password-policy.ts';
import { countAttempt, type SignInOrigin, triedOf, whileCounted } from '../../sign-in/sign-in-counting.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

/** A link that was just made. The token is in this answer and never shown again. */
export type PasswordLink = {
  readonly userId: string;
  readonly name: string;
  /** Where the link may be mailed; null: nobody vouches for the address. */
  readonly email: string | null;
  readonly token: string;
  readonly expiresAt: Instant;
  readonly position: Position | null;
  /** As the user has chosen; null otherwise. */
  readonly language: string | null;
  readonly timeZone: string | null;
};

const newLink = (
  { keys, now }: Pick<CommandDependencies, 'keys' | 'now'>,
  userId: string,
  once: CommandContext['once'],
) => {
  const time = once?.at ?? now();
  const secret = (once?.bytes ?? randomBytes)(32);
  const expiresAt = time + linkValidFor;
  const link = { digest: digestOfLink({ secret }), expiresAt, now: time };
  return { link, token: mintPasswordLink(keys, { userId, expiresAt, secret }) };
};

/** Creates an account without a password, and a link to choose one. A taken address is refused, but for a repeated unused invitation. */
export const makeInviteUser = (
  dependencies: Pick<
    AccountDependencies & CredentialDependencies,
    'store' | 'keys' | 'now' | 'newId' | 'persons' | 'localSignIn'
  >,
) => {
  const claims = makeAccountClaims(dependencies);
  return async (
    given: { readonly email: string; readonly name: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<PasswordLink, 'email-taken' | 'invalid' | 'passwords-off'>> => {
    const { store } = dependencies;
    if (dependencies.localSignIn === false) return { ok: false, refusal: 'passwords-off' };
    const email = normaliseEmail(given.email);
    const name = normaliseName(given.name);
    const problems = problemsAmong([
      { field: 'email', message: emailProblem(email) },
      { field: 'name', message: personNameProblem(name) },
    ]);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    const change = { context, ...byOperator() };
    const { once } = context ?? {};
    const made = (once?.newId ?? dependencies.newId)();
    const userId = await claims.takeForNew('address', email, made, change);
    const { link, token } = newLink(dependencies, userId, once);
    const { refusal, position } = await onAccount(
      store,
      userId,
      (account) => inviteAccount(account, { userId, email, name, ...link }),
      change,
    );
    const settled = await claims.settle(userId, change);
    if (refusal || addressOf(settled) !== email)
      return {
        ok: false,
        refusal: 'email-taken',
        problems: [{ field: 'email', message: english.problems.otherAccount }],
      };
    const unknown = { language: null, timeZone: null };
    return {
      ok: true,
      value: { userId, name, email, token, expiresAt: link.expiresAt, position, ...unknown },
    };
  };
};

/** Makes a link by which a user chooses another password. It replaces an older one; the password stays until then. */
export const makeIssuePasswordLink = (
  dependencies: Pick<
    AccountDependencies & CredentialDependencies,
    'store' | 'keys' | 'now' | 'persons' | 'localSignIn'
  >,
) => {
  const claims = makeAccountClaims(dependencies);
  return async (
    userId: string,
    context?: CommandContext,
    by = byOperator(),
  ): Promise<Outcome<PasswordLink, 'user-unknown' | 'user-erased' | 'user-disabled' | 'passwords-off'>> => {
    if (dependencies.localSignIn === false) return { ok: false, refusal: 'passwords-off' };
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    // A killed change may have left an address that is another account's.
    await claims.settle(userId, { context, ...by });
    const { link, token } = newLink(dependencies, userId, context?.once);
    const { refusal, position, state } = await onAccount(
      dependencies.store,
      userId,
      (account) => issuePasswordLink(account, link),
      { context, ...by },
    );
    if (refusal) return { ok: false, refusal };
    const { name, language, timeZone } = state as KnownAccount;
    const email = addressOf(state);
    const { expiresAt } = link;
    return { ok: true, value: { userId, name, email, token, expiresAt, position, language, timeZone } };
  };
};

export type PasswordLinkRefusal = 'link-unknown' | 'link-expired' | 'link-used' | 'passwords-off';

/** Whose password a link sets, if it is valid now. It changes nothing: scanners of mails open links, too. */
export const makeReadPasswordLink =
  ({
    store,
    keys,
    now,
    localSignIn,
  }: Pick<CredentialDependencies, 'store' | 'keys' | 'now' | 'localSignIn'>) =>
  async (text: string): Promise<Outcome<KnownAccount, PasswordLinkRefusal>> => {
    if (localSignIn === false) return { ok: false, refusal: 'passwords-off' };
    const token = verifyPasswordLink(keys, text);
    if (!token) return { ok: false, refusal: 'link-unknown' };
    const { events } = await store.read(accountStream(token.userId));
    const { state } = knownFrom(accountDecider, events);
    const digest = digestOfLink(token);
    if (state.status === 'absent' || !isLinkValid(state, { digest, now: now() })) {
      if (now() >= token.expiresAt) return { ok: false, refusal: 'link-expired' };
      if (!events.some(({ event }) => event.type === 'PasswordLinkIssued' && event.data.digest === digest))
        throw new LogBehind(`the log lacks a link of the account ${token.userId}`);
      return { ok: false, refusal: 'link-used' };
    }
    return { ok: true, value: state };
  };

type ChooseRefusal = PasswordLinkRefusal | 'invalid' | 'busy' | 'too-many-attempts';

/**
 * Sets the chosen password; the account's stream decides which use of the link is first. Ends the link, sessions, tokens,
 * and identities, which somebody else may have linked, unless the user keeps them.
 */
export const makeChoosePassword = (
  dependencies: Pick<
    CredentialDependencies & AccountDependencies & SignInDependencies,
    'store' | 'keys' | 'now' | 'passwords' | 'persons' | 'signInCounters' | 'signInsPerMinute' | 'localSignIn'
  >,
) => {
  const read = makeReadPasswordLink(dependencies);
  const claims = makeAccountClaims(dependencies);
  const applyMapping = makeApplyMapping(dependencies);
  const { store, keys, now, passwords } = dependencies;
  return async (
    {
      token: text,
      password,
      keepIdentities = false,
      from,
    }: {
      readonly token: string;
      readonly password: string;
      readonly keepIdentities?: boolean;
      readonly from: SignInOrigin;
    },
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<{ readonly userId: string }, ChooseRefusal> & { readonly retryAfter?: number }
  > => {
    const found = await read(text);
    if (!found.ok) return found;
    const message = await passwordProblem(password);
    if (message !== null)
      return { ok: false, refusal: 'invalid', problems: [{ field: 'password', message }] };
    const token = verifyPasswordLink(keys, text);
    if (!token) return { ok: false, refusal: 'link-unknown' };
    const { userId } = found.value;
    // Like a sign-in, so that nobody can keep the passwords of others waiting to be hashed.
    const counting = await countAttempt(dependencies, from, triedOf(found.value));
    if ('interactionEnded' in counting) return { ok: false, refusal: 'link-unknown' };
    if ('retryAfter' in counting) return { ok: false, refusal: 'too-many-attempts', ...counting };
    return whileCounted(counting, async () => {
      const passwordHash = await passwords.hash(password);
      const by = { context, metadata: { actor: userId } };
      const { refusal } = await onAccount(
        store,
        userId,
        (account) => {
          const chosen = choosePassword(account, { digest: digestOfLink(token), passwordHash, now: now() });
          const also = keepIdentities || chosen.refusal ? [] : unlinkAll(account, now());
          return { ...chosen, events: [...chosen.events, ...also] };
        },
        by,
      );
      await claims.settle(userId, by);
      await applyMapping(userId, userId, context);
      await counting.succeeded();
      return refusal ? { ok: false, refusal: 'link-used' } : { ok: true, value: { userId } };
    });
  };
};
