import { isServerAway } from '../../common/server-away.ts';
import { ProxyFailed } from '../../common/outgoing/proxies.ts';
import { packageVersion } from '../../process/package-root.ts';
import { apiOver, type Api, isForNow, secondsIn, type Transport } from '../base/api.ts';
import { AwayForNow, NotReached } from '../base/not-reached.ts';
import { send } from './send.ts';
import type { Server } from './server.ts';

export type Caller = {
  readonly server: Server;
  /** Null before a sign-in. */
  readonly token: string | null;
  readonly signal: AbortSignal;
};

/** Sends requests to one service, with its token. Redirects are not followed: the token is for this address alone. */
export const makeApi = ({ server, token, signal }: Caller): Api => {
  const { url, proxies } = server;
  const lost = (cause: unknown) => (signal.aborted ? cause : unreachable(server, cause));
  const ask: Transport['send'] = async ({ method, path, headers, body, patience }) => {
    const response = await send(`${url}${path}`, {
      method,
      signal,
      patience,
      ...(proxies && { proxies }),
      headers: {
        'user-agent': `grantbook/${packageVersion}`,
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-length': String(Buffer.byteLength(body as string | Uint8Array)),
        }),
        ...headers,
      },
      ...(body !== undefined && { body: body as string | Uint8Array }),
    }).catch((cause: unknown) => {
      throw lost(cause);
    });
    const { statusCode: status = 0 } = response;
    if (status >= 300 && status < 400)
      throw new NotReached(
        'GRANTBOOK_SERVER',
        `${url} redirects to another address (${status}), where the token is not sent: use the address of the service itself`,
      );
    return { status, headers: response.headers, body: bodyOf(response, lost) };
  };
  return apiOver({
    isHere: false,
    send: ask,
    notJson: ({ status, headers }) => {
      const type = headers['content-type'] ?? 'nothing';
      const says = `${url} answers ${status} with ${type.split(';')[0]} instead of JSON: it is no Grantbook, or a proxy answers in its place`;
      return isForNow({ status })
        ? new AwayForNow('GRANTBOOK_SERVER', says, secondsIn(headers))
        : new NotReached('GRANTBOOK_SERVER', says);
    },
    close: () => Promise.resolve(),
  });
};

/** @throws what is said of a connection that breaks */
async function* bodyOf(
  response: AsyncIterable<Buffer>,
  lost: (cause: unknown) => unknown,
): AsyncGenerator<Buffer> {
  try {
    yield* response;
  } catch (cause) {
    throw lost(cause);
  }
}

const unreachable = ({ url }: Server, error: unknown): NotReached => {
  if (error instanceof ProxyFailed)
    return new AwayForNow('GRANTBOOK_SERVER', `${url} cannot be reached: ${error.message}`, null, {
      cause: error,
    });
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  const why = isOfTls(code)
    ? `its TLS certificate is not accepted (${code}); for a certificate authority of your own, set NODE_EXTRA_CA_CERTS`
    : code === 'ENOTFOUND'
      ? 'there is no such host'
      : code || message || 'no answer';
  const says = `${url} cannot be reached: ${why}`;
  const options = { cause: error };
  return isServerAway(error)
    ? new AwayForNow('GRANTBOOK_SERVER', says, null, options)
    : new NotReached('GRANTBOOK_SERVER', says, options);
};

const isOfTls = (code: string): boolean => /CERT|SSL|TLS|SIGNATURE/.test(code);
