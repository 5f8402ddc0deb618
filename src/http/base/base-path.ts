import { describeRoutes } from '../describe-routes.ts';

/**
 * Proxies in front of a base URL with a path strip it or not (FX-25); the routes are without it. A path that begins like
 * one of our own is left alone: it could be either.
 */
export const withoutBase = (url: string, base: string): string => {
  if (base === '' || !url.startsWith(base)) return url;
  const rest = url.slice(base.length);
  if (rest !== '' && !/^[/?]/.test(rest)) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
};

const ownBeginnings = () =>
  new Set(Object.keys(describeRoutes({ issuer: 'https://x' })).map((url) => url.split('/')[1]));

let known = { baseUrl: '', base: '' };
/** The path to strip, if any; the public address may be known only after `listen`. */
export const basePathOf = (baseUrl: string): string => {
  if (known.baseUrl !== baseUrl) {
    const base = new URL(baseUrl).pathname.replace(/\/$/, '');
    known = { baseUrl, base: ownBeginnings().has(base.split('/')[1]) ? '' : base };
  }
  return known.base;
};
