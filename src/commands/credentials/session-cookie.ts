import { isUlid } from '../../domain/kernel/ids.ts';
import { sameBytes } from './secrets.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

/** The content of a session's cookie: the session, and the key id and salt that its first event holds too. */
export type SessionTicket = { readonly sessionId: string; readonly keyId: string; readonly salt: string };

/** How a ticket is spelled before its MAC. A reader with several reads all; the first is what is written. */
export type TicketLayout = {
  /** With a group for each part of the ticket. */
  readonly grammar: RegExp;
  readonly spell: (ticket: SessionTicket) => string;
};

export const ticketLayouts: readonly [TicketLayout, ...TicketLayout[]] = [
  {
    grammar: /^(?<sessionId>[0-9A-Z]{26})\.(?<keyId>\w{1,16})\.(?<salt>[\w-]{22})\.[\w-]{43}$/,
    spell: ({ sessionId, keyId, salt }) => `${sessionId}.${keyId}.${salt}`,
  },
];

/** Null when there is no key with that id. */
const mint = (keys: TokenKeys, ticket: SessionTicket, { spell }: TicketLayout): string | null => {
  const spelled = spell(ticket);
  const mac = macFor(keys, ticket.keyId, 'session', spelled);
  return mac && `${spelled}.${mac.toString('base64url')}`;
};

/** The value of the cookie. It cannot be made from the log without the server's key. */
export const sessionCookie = (keys: TokenKeys, ticket: SessionTicket): string => {
  const cookie = mint(keys, ticket, ticketLayouts[0]);
  if (cookie === null) throw new Error(`there is no token key ${ticket.keyId}`);
  return cookie;
};

/** Verifies a cookie without I/O; null if this server did not make it. Compared as text: base64url has several spellings. */
export const verifySessionCookie = (
  keys: TokenKeys,
  cookie: string,
  layouts: readonly TicketLayout[] = ticketLayouts,
): SessionTicket | null => {
  for (const layout of layouts) {
    const { sessionId = '', keyId = '', salt = '' } = layout.grammar.exec(cookie)?.groups ?? {};
    const ticket = { sessionId, keyId, salt };
    const expected = isUlid(sessionId) ? mint(keys, ticket, layout) : null;
    if (expected !== null && sameBytes(Buffer.from(expected), Buffer.from(cookie))) return ticket;
  }
  return null;
};
