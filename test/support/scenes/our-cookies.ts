import { cookieName } from '../../../src/http/session/cookies.ts';

type Jar = { readonly cookies: Map<string, string> };
type Name = Parameters<typeof cookieName>[1];

/** The name that a cookie of ours has in this browser; empty without. */
export const nameOfCookie = ({ cookies }: Jar, name: Name): string =>
  [...cookies.keys()].find((key) => new RegExp(`^grantbook_${name}_[0-9a-f]{8}$`).test(key)) ?? '';

export const cookieOf = (browser: Jar, name: Name): string | undefined =>
  browser.cookies.get(nameOfCookie(browser, name));

/** The Cookie header of a session at a server that is called so. */
export const sessionHeader = (baseUrl: string, cookie: string): string =>
  `${cookieName({ baseUrl, secureCookies: false }, 'session')}=${cookie}`;
