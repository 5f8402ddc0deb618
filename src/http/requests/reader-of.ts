import type { FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/kernel/decision.ts';
import { chooseLanguage, type Wishes } from '../words/languages.ts';
import { makeReader, type Reader } from '../words/reader.ts';

type Noted = Omit<Wishes, 'accept'> & { readonly timeZone?: string | null };

const noted = new WeakMap<FastifyRequest, Noted>();

/** What a session or an authorization request says about its reader. */
export const noteWishes = (request: FastifyRequest, wishes: Noted): void => {
  noted.set(request, { ...noted.get(request), ...wishes });
};

/** By the account, `ui_locales`, then `Accept-Language`; times in UTC where the account names no zone, until the page's script has shown them in the browser's. */
export const readerOf = ({ now }: { readonly now: () => Instant }, request: FastifyRequest): Reader => {
  const { timeZone = null, ...wishes } = noted.get(request) ?? {};
  const words = chooseLanguage({ ...wishes, accept: request.headers['accept-language'] });
  return makeReader(words, timeZone, now());
};
