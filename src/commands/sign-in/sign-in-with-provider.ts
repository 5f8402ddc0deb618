import type { Instant } from '../../domain/kernel/decision.ts';
import type { SessionOrigin } from '../../domain/sign-in/session.ts';
import {
  type AccountOfIdentity,
  type IdentifiedAccount,
  makeAccountOfIdentity,
} from '../people/accounts/account-of-identity.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AccountDependencies } from '../people/dependencies.ts';
import type { SignInDependencies } from './dependencies.ts';
import { isSameEnding, loadAccount } from '../people/accounts/load-account.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type Session, whoIs } from './read-session.ts';
import { makeSignOut } from './sign-out.ts';
import { beginSession } from './start-session.ts';

/** A user whom a provider has just signed in, as its verified id_token says. */
export type SignInWithProvider = AccountOfIdentity & {
  readonly idToken: string;
  readonly sid: string | null;
  /** Null where the provider does not say when the user signed in. */
  readonly authTime: Instant | null;
  readonly acr: string | null;
  readonly amr: readonly string[] | null;
};

type FromBrowser = { readonly origin: SessionOrigin };

type Dependencies = Omit<SignInDependencies, 'unfinished'> &
  Pick<AccountDependencies, 'persons' | 'namesOfOrganizations'>;

/** Starts a session of an identity's account (FE-03). Who is disabled or erased here stays so, whatever the provider says (FE-07). */
export const makeSignInWithProvider = (dependencies: Dependencies) => {
  const { store, now, newId, lifetimes, providerSessions } = dependencies;
  const accountOfIdentity = makeAccountOfIdentity(dependencies);
  return async (
    request: SignInWithProvider & FromBrowser,
    context?: CommandContext,
  ): Promise<
    Outcome<
      { readonly session: Session; readonly cookie: string } & Pick<IdentifiedAccount, 'mappedAt'>,
      'user-disabled' | 'user-erased' | 'ended-meanwhile'
    >
  > => {
    if (!providerSessions) throw new Error('no sign-in provider is configured');
    const found = await accountOfIdentity(request, context);
    if (!found.ok) return found;
    const { userId, sessionsEnded, mappedAt } = found.value;
    const { provider, issuer, subject, sid, idToken, authTime, acr, amr } = request;
    const [sessionId, at] = [newId(), now()];
    const expiresAt = at + lifetimes.session;
    const upstream = { provider, authTime, acr, amr };
    await providerSessions.note(sessionId, { userId, issuer, subject, sid, idToken, expiresAt });
    const begin = { userId, at, origin: request.origin, upstream, sessionId };
    const { cookie } = await beginSession(dependencies, begin, context);
    // What ended in between did not end the new session by itself.
    const [account, isEnded] = await Promise.all([
      loadAccount(store, userId),
      providerSessions.hasEnded(sessionId),
    ]);
    if (
      account.account.status !== 'enabled' ||
      isEnded ||
      !isSameEnding(sessionsEnded, account.sessionsEnded)
    ) {
      await makeSignOut(dependencies)(sessionId, context);
      return { ok: false, refusal: 'ended-meanwhile' };
    }
    return {
      ok: true,
      value: {
        session: {
          sessionId,
          ...whoIs(account.account),
          disablings: account.account.epoch,
          authTime: authTime ?? at,
          upstream,
          passkey: null,
          handOffs: [],
        },
        cookie,
        mappedAt,
      },
    };
  };
};
