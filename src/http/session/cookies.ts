import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpConfig } from '../base/dependencies.ts';

/** A browser with more loses the oldest; this keeps the header short. */
const maxPending = 8;
const maxLength = 1024;

type Named = 'session' | 'device' | 'home' | 'pending';

/** A cookie's name, and its former one, which installations on a host shared (FX-25): still written and read for the version before (ADR 45). */
export const cookieNames = (
  { baseUrl, secureCookies }: Pick<HttpConfig, 'baseUrl' | 'secureCookies'>,
  name: Named,
): { readonly own: string; readonly former: string } => {
  const former = `${secureCookies ? '__Host-' : ''}grantbook_${name}`;
  return { own: `${former}_${hash('sha256', baseUrl, 'hex').slice(0, 8)}`, former };
};

/** The cookies that we set. None is readable by scripts or sent along from other sites (AZ-41). */
export const makeCookies = (config: HttpConfig) => {
  const options = { httpOnly: true, secure: config.secureCookies, sameSite: 'lax', path: '/' } as const;
  /** The former name first: if it differs and is ours, the previous version has set it since. */
  const read = ({ cookies }: FastifyRequest, name: Named): readonly string[] => {
    const { own, former } = cookieNames(config, name);
    const sent = [cookies[former] ?? '', cookies[own] ?? ''];
    return [...new Set(sent)].filter((value) => value !== '' && value.length <= maxLength);
  };
  const set = (reply: FastifyReply, name: Named, value: string, more: { readonly maxAge?: number } = {}) => {
    for (const each of Object.values(cookieNames(config, name)))
      void reply.setCookie(each, value, { ...options, ...more });
  };
  const clear = (reply: FastifyReply, name: Named) => {
    for (const each of Object.values(cookieNames(config, name))) void reply.clearCookie(each, options);
  };
  const idIn = (value: string) => value.replace(/\..*/s, '');
  const sessionId = (request: FastifyRequest) => idIn(read(request, 'session').at(-1) ?? '');
  /**
   * Each pending id is also in a cookie of its own: of two responses at once, the later one overwrites the list, and a form
   * from another site brings no list to add to (FX-21). There are 64 names, so another site cannot fill the browser.
   */
  const pendingName = cookieNames(config, 'pending').own;
  const placeOf = (id: string) => `${pendingName}_${id.charAt(0)}`;
  const isId = (text: string) => /^[\w-]{1,64}$/.test(text);
  const inPlaces = ({ cookies }: FastifyRequest): readonly string[] =>
    Object.entries(cookies).flatMap(([name, id = '']) => (isId(id) && name === placeOf(id) ? [id] : []));
  const changed = new WeakMap<FastifyReply, string>();
  const pending = new WeakMap<FastifyRequest, readonly string[]>();
  return {
    /** The values that may be of a session here, the likeliest first. */
    sessions: (request: FastifyRequest) => read(request, 'session'),
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
    device: (request: FastifyRequest) => read(request, 'device').at(-1),
    setDevice: (reply: FastifyReply, value: string, maxAge: number) =>
      set(reply, 'device', value, { maxAge }),
    /** Where the user starts: a choice that proves nothing. */
    home: (request: FastifyRequest) => read(request, 'home').at(-1),
    setHome: (reply: FastifyReply, value: string) => set(reply, 'home', value, { maxAge: 31_536_000 }),
    /** Ids of the sign-ins, approvals and sign-outs that are pending in this browser, with those of this answer. */
    pending: (request: FastifyRequest) =>
      pending.get(request) ?? [
        ...new Set([
          ...read(request, 'pending').flatMap((ids) => ids.split('.').filter(isId)),
          ...inPlaces(request),
        ]),
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
