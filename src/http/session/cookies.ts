import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../dependencies.ts';

/** The cookies that we set. None is readable by scripts or sent along from other sites (AZ-41). */
export type Cookies = {
  session(request: FastifyRequest): string | undefined;
  /** Whose forms the browser may send, unverified; empty without a session. */
  sessionId(request: FastifyRequest): string;
  /** The same after the answer. */
  sessionIdAfter(reply: FastifyReply): string;
  setSession(reply: FastifyReply, value: string): void;
  clearSession(reply: FastifyReply): void;
  /** Identifies the browser to accounts; it outlives sessions. */
  device(request: FastifyRequest): string | undefined;
  setDevice(reply: FastifyReply, value: string, maxAge: number): void;
  /** Ids of the sign-ins, approvals and sign-outs that are pending in this browser, with those of this answer. */
  pending(request: FastifyRequest): readonly string[];
  setPending(reply: FastifyReply, ids: readonly string[]): void;
};

/** A browser with more loses the oldest; this keeps the header short. */
const maxPending = 8;
const maxLength = 1024;

export const makeCookies = ({ secureCookies }: HttpConfig): Cookies => {
  const prefix = secureCookies ? '__Host-' : '';
  const names = {
    session: `${prefix}grantbook_session`,
    device: `${prefix}grantbook_device`,
    pending: `${prefix}grantbook_pending`,
  };
  const options = { httpOnly: true, secure: secureCookies, sameSite: 'lax', path: '/' } as const;
  const read = (request: FastifyRequest, name: string) => {
    const value = request.cookies[name];
    return value && value.length <= maxLength ? value : undefined;
  };
  const idIn = (value: string) => value.replace(/\..*/s, '');
  const sessionId = (request: FastifyRequest) => idIn(read(request, names.session) ?? '');
  const changed = new WeakMap<FastifyReply, string>();
  const pending = new WeakMap<FastifyRequest, readonly string[]>();
  return {
    session: (request) => read(request, names.session),
    sessionId,
    sessionIdAfter: (reply) => changed.get(reply) ?? sessionId(reply.request),
    setSession: (reply, value) => {
      changed.set(reply, idIn(value));
      void reply.setCookie(names.session, value, options);
    },
    clearSession: (reply) => {
      changed.set(reply, '');
      void reply.clearCookie(names.session, options);
    },
    device: (request) => read(request, names.device),
    setDevice: (reply, value, maxAge) => void reply.setCookie(names.device, value, { ...options, maxAge }),
    pending: (request) =>
      pending.get(request) ?? read(request, names.pending)?.split('.').filter(Boolean) ?? [],
    setPending: (reply, ids) => {
      const kept = ids.slice(-maxPending);
      pending.set(reply.request, kept);
      void (kept.length === 0
        ? reply.clearCookie(names.pending, options)
        : reply.setCookie(names.pending, kept.join('.'), options));
    },
  };
};
