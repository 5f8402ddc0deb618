import type { Instant } from '../../../domain/kernel/decision.ts';
import type { Role } from '../../../domain/people/account.ts';
import { sessionDecider } from '../../../domain/sign-in/session.ts';
import { sessionStream } from '../../../domain/streams.ts';
import { LogBehind } from '../../../eventstore/event-store.ts';
import { verifyAdministratorToken } from '../../credentials/administrator-token-text.ts';
import { load } from '../../kernel/handle.ts';
import { loadAccount } from '../accounts/load-account.ts';
import type { SignInDependencies } from '../../sign-in/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { makeReadAdministratorToken, type AdministratorTokenRefusal } from './read-administrator-token.ts';
import { makeReadSession } from '../../sign-in/read-session.ts';
import { verifySessionCookie, type SessionTicket } from '../../credentials/session-cookie.ts';

/** Exactly one of `sessionId` and `tokenId` is set: it is a session of the command line, or an administrator token. */
export type OperatorTokenHolder = {
  readonly userId: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly sessionId: string | null;
  readonly tokenId: string | null;
  /** Of a token; null for a session. */
  readonly expiresAt: Instant | null;
};

/** The person or program that acts (HI-06). */
export type Actor = {
  readonly by: string;
  /** Null without a token. */
  readonly user: OperatorTokenHolder | null;
};

export type OperatorTokenRefusal =
  AdministratorTokenRefusal | 'account-disabled' | 'token-for-one-organization';

type Dependencies = Pick<SignInDependencies, 'store' | 'keys' | 'now' | 'sessionUses' | 'lifetimes'>;

/**
 * Who signed in to the command line, or whose administrator token a program uses (HI-06), from the log; the caller checks roles.
 * Only a session `kept` by a sign-in counts: others are browsers' cookies, no bearer tokens.
 */
export const makeReadOperatorToken = (dependencies: Dependencies) => {
  const readSession = makeReadSession(dependencies);
  const readToken = makeReadAdministratorToken(dependencies);
  return async (
    text: string,
    { kept = false }: { readonly kept?: boolean } = {},
  ): Promise<Outcome<OperatorTokenHolder, OperatorTokenRefusal>> => {
    const ticket = kept ? verifySessionCookie(dependencies.keys, text) : null;
    if (ticket) {
      const session = await readSession(text);
      if (!session) return { ok: false, refusal: await whyOver(dependencies, ticket) };
      const { sessionId, userId, name, roles } = session;
      return { ok: true, value: { userId, name, roles, sessionId, tokenId: null, expiresAt: null } };
    }
    const opened = verifyAdministratorToken(dependencies.keys, text);
    if (!opened) return { ok: false, refusal: 'token-unknown' };
    const { account } = await loadAccount(dependencies.store, opened.userId);
    if (account.status !== 'enabled' && account.status !== 'absent')
      return { ok: false, refusal: 'account-disabled' };
    const read = await readToken(text);
    if (!read.ok) return read;
    if (account.status === 'absent') throw new LogBehind(`the log lacks the account ${opened.userId}`);
    const { userId, tokenId, organizationId, byClaim } = read.value;
    if (organizationId !== null) return { ok: false, refusal: 'token-for-one-organization' };
    const roles = byClaim ? account.roles : account.rolesBySource.manual;
    const { expiresAt } = opened;
    return { ok: true, value: { userId, name: account.name, roles, sessionId: null, tokenId, expiresAt } };
  };
};

const whyOver = async (
  { store, now }: Dependencies,
  { sessionId }: SessionTicket,
): Promise<OperatorTokenRefusal> => {
  const { state } = await load(store, sessionStream(sessionId), sessionDecider);
  if (state.status !== 'started') return 'token-revoked';
  const { account } = await loadAccount(store, state.userId);
  if (account.status !== 'enabled') return 'account-disabled';
  return now() < state.expiresAt ? 'token-revoked' : 'token-expired';
};
