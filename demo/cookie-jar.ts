/** Cookies as a browser stores them: per host, regardless of the port, sent back if path and scheme allow it. */
export const makeCookieJar = () => {
  const cookies = new Map<string, Cookie>();
  return {
    keep(url: URL, setCookies: readonly string[]): void {
      for (const text of setCookies) {
        const cookie = parse(url, text);
        const key = `${cookie.host} ${cookie.path} ${cookie.name}`;
        if (cookie.expired) cookies.delete(key);
        else cookies.set(key, cookie);
      }
    },
    header: (url: URL): string | undefined => {
      const fitting = [...cookies.values()].filter((cookie) => fits(cookie, url));
      if (fitting.length === 0) return undefined;
      return fitting.map(({ name, value }) => `${name}=${value}`).join('; ');
    },
  };
};

type Cookie = {
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
  readonly secure: boolean;
  readonly expired: boolean;
};

const parse = (url: URL, text: string): Cookie => {
  const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
  const attribute = (wanted: string) =>
    attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
  const [name = '', ...rest] = pair.split('=');
  const maxAge = attribute('max-age');
  const expires = attribute('expires');
  const expired =
    maxAge === undefined ? expires !== undefined && Date.parse(expires) <= Date.now() : Number(maxAge) <= 0;
  return {
    host: url.hostname,
    path: attribute('path') ?? '/',
    name,
    value: rest.join('='),
    secure: attributes.some((one) => one.toLowerCase() === 'secure'),
    expired,
  };
};

const fits = ({ host, path, secure }: Cookie, url: URL): boolean =>
  host === url.hostname &&
  (path === '/' ||
    url.pathname === path ||
    url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)) &&
  (!secure || url.protocol === 'https:');
