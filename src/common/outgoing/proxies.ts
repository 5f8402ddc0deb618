import { isIPv6 } from 'node:net';

/** The proxies for requests to other hosts: URLs, each empty for none, and the hosts that are called without one. */
export type Proxies = { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string };

export const noProxies: Proxies = { httpProxy: '', httpsProxy: '', noProxy: '*' };

/** Those for requests to a service of ours: one over http is on this machine, and a proxy would read its tokens. */
export const proxiesTo = (url: string, proxies: Proxies): Proxies =>
  url.startsWith('http:') ? noProxies : proxies;

/** A proxy did not do its part. The message names it, without its user and password. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
  /** Whether nothing can be sent through it; else it has not connected to this destination. */
  readonly isUseless: boolean;
  constructor(proxy: string, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const status = /\((\d{3})\)/.exec(message)?.[1];
    const found =
      status === undefined
        ? `cannot be reached (${code ?? 'no answer'})`
        : `answered ${status}${status === '407' ? ': it wants another user or password' : ''}`;
    super(`the proxy ${new URL(proxy).origin} ${found}`, { cause });
    this.isUseless = status === undefined || status === '407';
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; as with other programs, the names in lower case win. A URL may lack its `http://`. */
export const readProxies = (
  env: Variables,
): { readonly proxies: Proxies; readonly problems: readonly string[] } => {
  const problems: string[] = [];
  const read = (upper: string) => {
    const name = [upper.toLowerCase(), upper].find((one) => env[one]?.trim()) ?? upper;
    return { name, value: env[name]?.trim() ?? '' };
  };
  const proxy = (upper: string): string => {
    const { name, value } = read(upper);
    const url = value === '' || value.includes('://') ? value : `http://${value}`;
    if (url === '' || isProxy(url)) return url;
    problems.push(
      `${name}: got a value that is not shown; allowed: http://host:port or https://host:port, with user:password@ before the host if the proxy wants them`,
    );
    return '';
  };
  const proxies = {
    httpProxy: proxy('HTTP_PROXY'),
    httpsProxy: proxy('HTTPS_PROXY'),
    noProxy: hostsIn(read('NO_PROXY').value),
  };
  return { proxies, problems };
};

/** The library compares hosts as URLs have them, and knows `*` alone. */
const hostsIn = (value: string): string => {
  const hosts = value.split(/[\s,]+/).map((host) => (isIPv6(host) ? `[${host}]` : host));
  return hosts.includes('*') ? '*' : hosts.join(',');
};

const isProxy = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return (
    /^https?:$/.test(protocol) && pathname + search + hash === '/' && isDecodable(`${username}:${password}`)
  );
};

const isDecodable = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
};
