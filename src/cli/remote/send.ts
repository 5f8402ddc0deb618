import type { IncomingMessage, RequestOptions } from 'node:http';

export type Sent = Pick<RequestOptions, 'method' | 'headers' | 'signal'> & {
  readonly body?: string | Uint8Array;
  /** In milliseconds: how long nothing may come. */
  readonly patience: number;
};

/**
 * Sends a request and answers with the response as it comes; redirects are not followed. With Node's own client: loading `fetch` costs a
 * quarter of what such a command may cost.
 */
export const send = async (url: string, { body, patience, ...options }: Sent): Promise<IncomingMessage> => {
  const { request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    // A connection that is kept would keep the command alive.
    const sending = request(url, { ...options, agent: false, timeout: patience }, resolve)
      .on('error', reject)
      .on('timeout', () => sending.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    sending.end(body);
  });
};

/** The whole body. @throws where it ends early */
export const textOf = async (response: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
};
