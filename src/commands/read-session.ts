import { accountDecider } from '../domain/account.ts';
import { sessionAt, sessionDecider } from '../domain/session.ts';
import { accountStream, sessionStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { load } from './handle.ts';
import type { CommandNeeds } from './needs.ts';
import { openSessionCookie } from './session-cookie.ts';

/** Opens the session that a cookie carries, from the log as of now; a forged cookie costs no I/O. */
export const makeReadSession =
  ({ store, keys, now }: Pick<CommandNeeds, 'store' | 'keys' | 'now'>): Commands['readSession'] =>
  async (cookie) => {
    const ticket = openSessionCookie(keys, cookie);
    if (!ticket) return null;
    const { state } = await load(store, sessionStream(ticket.sessionId), sessionDecider);
    const session = sessionAt(state, now());
    if (!session || session.salt !== ticket.salt || session.keyId !== ticket.keyId) return null;
    const { state: account } = await load(store, accountStream(session.userId), accountDecider);
    if (account.status !== 'enabled') return null;
    const { sessionId, userId, authTime } = session;
    // Whoever disabled an account because of a stolen cookie does not give the cookie back by enabling it.
    if (account.disabledAt !== null && authTime <= account.disabledAt) return null;
    const handOffs = session.handOffs.map(({ organizationId, addonId }) => ({ organizationId, addonId }));
    const { name, email, roles } = account;
    return { sessionId, userId, name, email, roles, authTime, handOffs };
  };
