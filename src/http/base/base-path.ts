import { normalEncoding } from '../../common/normal-url.ts';

/** Proxies strip a base URL's path or not (FX-25); routes are without it. `own`: the first segments of our routes, left alone. */
export const withoutBase = (url: string, base: string, own: ReadonlySet<string>): string => {
  const segments = base.split('/');
  if (base === '' || own.has(segments[1] ?? '')) return url;
  const [start] = url.split('?', 1);
  const sent = (start ?? '').split('/').slice(0, segments.length).join('/');
  if (normalEncoding(sent) !== base) return url;
  const rest = url.slice(sent.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
};

/** The first segment of a route of ours; none for metadata that stand below the path of the issuer (Discovery §4). */
export const beginningOf = (route: string): readonly string[] =>
  route.indexOf('/.well-known/') > 0 ? [] : [route.split('/')[1] ?? ''];

let known = { baseUrl: '', base: '' };
/** The path of the public address, if any; it may be known only after `listen`. */
export const basePathOf = (baseUrl: string): string => {
  if (known.baseUrl !== baseUrl) known = { baseUrl, base: new URL(baseUrl).pathname.replace(/\/$/, '') };
  return known.base;
};
