import type { Role } from '../domain/account.ts';
import { sessionDecider } from '../domain/session.ts';
import { sessionStream } from '../domain/streams.ts';
import { verifyAdministratorToken } from './administrator-token-text.ts';
import type { Commands } from './commands.ts';
import { load } from './handle.ts';
import { loadAccount } from './load-account.ts';
import type { CommandDependencies } from './dependencies.ts';
import { makeReadAdministratorToken, type AdministratorTokenRefusal } from './read-administrator-token.ts';
import { makeReadSession } from './read-session.ts';
import { verifySessionCookie, type SessionTicket } from './session-cookie.ts';

/** One of `sessionId` and `tokenId` is there: it is a session of the command line, or an administrator token. */
export type OperatorTokenHolder = {
  readonly userId: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly sessionId: string | null;
  readonly tokenId: string | null;
};

export type OperatorTokenRefusal =
  AdministratorTokenRefusal | 'account-disabled' | 'token-for-one-organization';

type Needs = Pick<CommandDependencies, 'store' | 'keys' | 'now'>;
type Read = Awaited<ReturnType<Commands['readOperatorToken']>>;

/** From the log as of now, as for a session and an administrator token: it is one of the two. */
export const makeReadOperatorToken = (needs: Needs): Commands['readOperatorToken'] => {
  const readSession = makeReadSession(needs);
  const readToken = makeReadAdministratorToken(needs);
  return async (text) => {
    const ticket = verifySessionCookie(needs.keys, text);
    if (ticket) {
      const session = await readSession(text);
      if (!session) return { ok: false, refusal: await whyOver(needs, ticket) };
      const { sessionId, userId, name, roles } = session;
      return { ok: true, value: { userId, name, roles, sessionId, tokenId: null } };
    }
    const opened = verifyAdministratorToken(needs.keys, text);
    if (!opened) return { ok: false, refusal: 'token-unknown' };
    const { account } = await loadAccount(needs.store, opened.userId);
    if (account.status !== 'enabled') return { ok: false, refusal: 'account-disabled' };
    const read = await readToken(text);
    if (!read.ok) return read;
    const { userId, tokenId, organizationId } = read.value;
    if (organizationId !== null) return { ok: false, refusal: 'token-for-one-organization' };
    return {
      ok: true,
      value: { userId, name: account.name, roles: account.roles, sessionId: null, tokenId },
    };
  };
};

const whyOver = async (
  { store, now }: Needs,
  { sessionId }: SessionTicket,
): Promise<Extract<Read, { readonly ok: false }>['refusal']> => {
  const { state } = await load(store, sessionStream(sessionId), sessionDecider);
  if (state.status !== 'started') return 'token-revoked';
  const { account } = await loadAccount(store, state.userId);
  if (account.status !== 'enabled') return 'account-disabled';
  return now() < state.expiresAt ? 'token-revoked' : 'token-expired';
};
