import { cookieName } from '../src/http/session/cookies.ts';

/** The Cookie header of a session at a server that is called so. */
export const sessionHeader = (baseUrl: string, cookie: string): string =>
  `${cookieName({ baseUrl, secureCookies: false }, 'session')}=${cookie}`;
