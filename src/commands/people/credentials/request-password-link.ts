import { linkValidFor, noteLinkNotMailed } from '../../../domain/people/account.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';
import { digestOfLink, verifyPasswordLink } from '../../credentials/password-link-text.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { SignInDependencies } from '../../sign-in/dependencies.ts';
import { countAttempt, type SignInOrigin } from '../../sign-in/sign-in-counting.ts';
import { findAccount } from '../accounts/find-account.ts';
import type { AccountDependencies, CredentialDependencies } from '../dependencies.ts';
import { makeIssuePasswordLink, type PasswordLink } from './password-links.ts';

type Dependencies = Pick<
  CommandDependencies & AccountDependencies & CredentialDependencies & SignInDependencies,
  | 'store'
  | 'keys'
  | 'now'
  | 'persons'
  | 'localSignIn'
  | 'signInCounters'
  | 'signInsPerMinute'
  | 'inBackground'
>;

type Asked = {
  readonly email: string;
  readonly from: SignInOrigin;
  /** Sends the link to the address of the account; an `invitation` to who has never chosen a password. */
  readonly deliver: (
    link: PasswordLink & { readonly kind: 'invitation' | 'forgot' },
  ) => Promise<{ readonly mailed: boolean | null }>;
};

/** A link this young is not replaced: nobody else can end the one that the user is about to use. In milliseconds. */
const young = 10 * 60_000;
/** Nobody has signed in: Grantbook made the link. */
const by = { metadata: { actor: 'password-reset' } };

/**
 * Somebody who cannot sign in asks for a link to choose another password. It counts like a failed sign-in. Whether an
 * account has the address shows in no answer: what follows from it happens afterwards.
 */
export const makeRequestPasswordLink = (dependencies: Dependencies) => {
  const issue = makeIssuePasswordLink(dependencies);
  const { store, keys, now, localSignIn, inBackground } = dependencies;

  const mail = async ({ email, deliver }: Asked, context?: CommandContext) => {
    const { account } = await findAccount(dependencies, email);
    if (account.status !== 'enabled') return;
    const { userId, link, passwordHash, passwordSetAt, identities } = account;
    /** Who came with a provider has no password, and was never asked to choose one. */
    const isInvited = passwordSetAt === null && (link !== null || identities.length === 0);
    if (passwordHash === null && !isInvited) return;
    if (link && !link.isNotMailed && link.expiresAt - linkValidFor > now() - young) return;
    const issued = await issue(userId, context, by);
    if (!issued.ok) return;
    const { email: address, token } = issued.value;
    const { mailed } = await deliver({ ...issued.value, kind: isInvited ? 'invitation' : 'forgot' });
    const made = verifyPasswordLink(keys, token);
    if (mailed !== false || address === null || made === null) return;
    const digest = digestOfLink(made);
    const change = { context, ...by };
    await onAccount(store, userId, (known) => noteLinkNotMailed(known, { digest, now: now() }), change);
  };

  return async (
    asked: Asked,
    context?: CommandContext,
  ): Promise<
    Outcome<null, 'passwords-off' | 'invalid' | 'too-many-attempts'> & { readonly retryAfter?: number }
  > => {
    if (localSignIn === false) return { ok: false, refusal: 'passwords-off' };
    const email = normaliseEmail(asked.email);
    if (emailProblem(email) !== null) return { ok: false, refusal: 'invalid' };
    const ownerOf = async () => (await findAccount(dependencies, email)).account;
    const counting = await countAttempt(dependencies, asked.from, { whose: email, ownerOf });
    if ('interactionEnded' in counting) return { ok: false, refusal: 'too-many-attempts' };
    if ('retryAfter' in counting) return { ok: false, refusal: 'too-many-attempts', ...counting };
    inBackground(mail({ ...asked, email }, context));
    return { ok: true, value: null };
  };
};
