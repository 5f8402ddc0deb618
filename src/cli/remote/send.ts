import type { IncomingHttpHeaders } from 'node:http';
import { noProxies, type Proxies } from '../../common/outgoing/proxies.ts';
import type { Dispatcher } from '../../common/outgoing/undici.ts';

export type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly body?: string | Uint8Array;
  /** In milliseconds: how long nothing may come. */
  readonly patience: number;
  readonly proxies?: Proxies;
};

export type Response = AsyncIterable<Buffer> & {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
};

/**
 * Sends a request and answers with the response as it comes; redirects are not followed. Without a proxy by Node's own client: loading
 * another one costs a quarter of what such a command may cost.
 */
export const send = async (url: string, { proxies = noProxies, ...sent }: Sent): Promise<Response> => {
  if (proxies.httpProxy + proxies.httpsProxy !== '') return sendByProxy(url, proxies, sent);
  const { body, patience, ...options } = sent;
  const { request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    // A connection that is kept would keep the command alive.
    const sending = request(url, { ...options, agent: false, timeout: patience }, resolve)
      .on('error', reject)
      .on('timeout', () => sending.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    sending.end(body);
  });
};

const sendByProxy = async (
  url: string,
  proxies: Proxies,
  { body = '', patience, ...options }: Omit<Sent, 'proxies'>,
): Promise<Response> => {
  const { openConnections, proxyFailureIn } = await import('../../common/outgoing/outgoing.ts');
  const connections = openConnections({ proxies });
  const { origin, pathname, search } = new URL(url);
  const waits = { headersTimeout: patience, bodyTimeout: patience };
  const close = () => void connections.destroy();
  try {
    const sent = { ...options, ...waits, origin, path: pathname + search, body };
    const answer = await connections.request(sent as Dispatcher.RequestOptions);
    return Object.assign(answer.body.on('close', close), {
      statusCode: answer.statusCode,
      headers: answer.headers,
    });
  } catch (error) {
    close();
    throw proxyFailureIn(error, proxies) ?? error;
  }
};
