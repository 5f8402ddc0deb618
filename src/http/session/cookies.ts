import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../base/dependencies.ts';

/** A browser with more loses the oldest; this keeps the header short. */
const maxPending = 8;
const maxLength = 1024;

type Named = 'session' | 'device' | 'home' | 'way' | 'pending';

/** A cookie's name. Its end tells installations on one host apart (FX-25). */
export const cookieName = (
  { baseUrl, secureCookies }: Pick<HttpConfig, 'baseUrl' | 'secureCookies'>,
  name: Named,
): string =>
  `${secureCookies ? '__Host-' : ''}grantbook_${name}_${hash('sha256', baseUrl, 'hex').slice(0, 8)}`;

/** A provider by its id. */
export type SignInWay = 'password' | 'passkey' | `with ${string}`;

/** The cookies that we set. None is readable by scripts or sent along from other sites (AZ-41). */
export const makeCookies = (config: HttpConfig) => {
  const options = { httpOnly: true, secure: config.secureCookies, sameSite: 'lax', path: '/' } as const;
  const read = ({ cookies }: FastifyRequest, name: Named): string => {
    const value = cookies[cookieName(config, name)] ?? '';
    return value.length > maxLength ? '' : value;
  };
  const set = (reply: FastifyReply, name: Named, value: string, more: { readonly maxAge?: number } = {}) =>
    void reply.setCookie(cookieName(config, name), value, { ...options, ...more });
  const clear = (reply: FastifyReply, name: Named) =>
    void reply.clearCookie(cookieName(config, name), options);
  const idIn = (value: string) => value.replace(/\..*/s, '');
  const sessionId = (request: FastifyRequest) => idIn(read(request, 'session'));
  /**
   * Each pending id is also in a cookie of its own: of two responses at once, the later one overwrites the list, and a form
   * from another site brings no list to add to (FX-21). There are 64 names, so another site cannot fill the browser.
   */
  const pendingName = cookieName(config, 'pending');
  const placeOf = (id: string) => `${pendingName}_${id.charAt(0)}`;
  const isId = (text: string) => /^[\w-]{1,64}$/.test(text);
  const inPlaces = ({ cookies }: FastifyRequest): readonly string[] =>
    Object.entries(cookies).flatMap(([name, id = '']) => (isId(id) && name === placeOf(id) ? [id] : []));
  const changed = new WeakMap<FastifyReply, string>();
  const pending = new WeakMap<FastifyRequest, readonly string[]>();
  return {
    /** Of a session here, unverified; empty without. */
    session: (request: FastifyRequest) => read(request, 'session'),
    /** Whose forms the browser may send, unverified; empty without a session. */
    sessionId,
    /** The same after the answer. */
    sessionIdAfter: (reply: FastifyReply) => changed.get(reply) ?? sessionId(reply.request),
    setSession: (reply: FastifyReply, value: string) => {
      changed.set(reply, idIn(value));
      set(reply, 'session', value);
    },
    clearSession: (reply: FastifyReply) => {
      changed.set(reply, '');
      clear(reply, 'session');
    },
    /** Identifies the browser to accounts; it outlives sessions. */
    device: (request: FastifyRequest) => read(request, 'device') || null,
    setDevice: (reply: FastifyReply, value: string, maxAge: number) =>
      set(reply, 'device', value, { maxAge }),
    /** Where the user starts: a choice that proves nothing. */
    home: (request: FastifyRequest) => read(request, 'home'),
    setHome: (reply: FastifyReply, value: string) => set(reply, 'home', value, { maxAge: 31_536_000 }),
    /** How the last sign-in of this browser went: which way the next sign-in page has first. */
    way: (request: FastifyRequest) => read(request, 'way'),
    setWay: (reply: FastifyReply, way: SignInWay) => set(reply, 'way', way, { maxAge: 31_536_000 }),
    /** Ids of the sign-ins, approvals and sign-outs that are pending in this browser, with those of this answer. */
    pending: (request: FastifyRequest) =>
      pending.get(request) ?? [
        ...new Set([...read(request, 'pending').split('.').filter(isId), ...inPlaces(request)]),
      ],
    setPending: (reply: FastifyReply, ids: readonly string[]) => {
      const kept = ids.slice(-maxPending);
      pending.set(reply.request, kept);
      if (kept.length === 0) clear(reply, 'pending');
      else set(reply, 'pending', kept.join('.'));
      const there = inPlaces(reply.request);
      const newest = kept.at(-1);
      for (const id of there) if (!kept.includes(id)) void reply.clearCookie(placeOf(id), options);
      if (newest !== undefined && !there.includes(newest))
        void reply.setCookie(placeOf(newest), newest, options);
    },
  };
};

export type Cookies = ReturnType<typeof makeCookies>;
