import type { FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/kernel/decision.ts';
import { chooseLanguage, type Wishes } from '../words/languages.ts';
import { zoneCookie } from '../pages/page-script.ts';
import { browserZoneIn, makeReader, type Reader } from '../words/reader.ts';

type Noted = Omit<Wishes, 'accept'> & { readonly timeZone?: string | null };

const noted = new WeakMap<FastifyRequest, Noted>();

/** What a session or an authorization request says about its reader. */
export const noteWishes = (request: FastifyRequest, wishes: Noted): void => {
  noted.set(request, { ...noted.get(request), ...wishes });
};

/** By the account, `ui_locales`, then `Accept-Language`; times in the zone of the account, else in the browser's, else in UTC. */
export const readerOf = ({ now }: { readonly now: () => Instant }, request: FastifyRequest): Reader => {
  const { timeZone = null, ...wishes } = noted.get(request) ?? {};
  const words = chooseLanguage({ ...wishes, accept: request.headers['accept-language'] });
  // A request that is refused before its header was read has none.
  const cookies = request.cookies as FastifyRequest['cookies'] | null;
  return makeReader(words, timeZone, now(), browserZoneIn(cookies?.[zoneCookie]));
};
