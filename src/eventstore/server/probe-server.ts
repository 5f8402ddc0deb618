import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileOption } from './connection-string.ts';

type Way = {
  readonly tls: boolean;
  /** Options of the connection string: `tlscafile`, `usercertfile`, `userkeyfile`. */
  readonly options: ReadonlyMap<string, string>;
};

/**
 * Connects like a real call, up to the TLS handshake. Null on success; otherwise a Node error code, `NO_TLS` for a
 * server without TLS, `WANTS_TLS` for one that accepts only TLS, `UNUSABLE_FILE` for
 * a file of certificates that cannot be used, `ETIMEDOUT` without an answer in time.
 * @param address `name` or `name:port`
 */
export const probeServer = async (address: string, way: Way, ms: number): Promise<string | null> => {
  const [, host = address, port = '2113'] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
  const plain = connectPlain({ host, port: Number(port) });
  const failed = await outcome(plain, 'connect', ms);
  if (failed !== null) return failed;
  const tlsFailed = await shakeHands(plain, host, way, ms);
  if (way.tls) return tlsFailed;
  return tlsFailed === null || /^(UNABLE|SELF|DEPTH|CERT_|ERR_TLS_CERT)/.test(tlsFailed) ? 'WANTS_TLS' : null;
};

const shakeHands = async (
  plain: Socket,
  host: string,
  { options }: Way,
  ms: number,
): Promise<string | null> => {
  const file = (name: string) => {
    const path = fileOption(options, name);
    return path === null ? undefined : readFileSync(path);
  };
  let secure;
  try {
    secure = connectTls({
      socket: plain,
      ALPNProtocols: ['h2'],
      host,
      ...(isIP(host) ? {} : { servername: host }),
      ca: file('tlscafile'),
      cert: file('usercertfile'),
      key: file('userkeyfile'),
    });
  } catch {
    plain.destroy();
    return 'UNUSABLE_FILE';
  }
  const failed = await outcome(secure, 'secureConnect', ms);
  secure.destroy();
  plain.destroy();
  return failed !== null && noTls.test(failed) ? 'NO_TLS' : failed;
};

/** Errors of a TLS handshake with a server that answers in plain text, or closes the connection. */
const noTls = /^(EPROTO|ECONNRESET|EPIPE|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/;

const outcome = async (socket: Socket, sign: string, ms: number): Promise<string | null> => {
  socket.on('error', () => undefined); // the pending operation reports the error, too
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    ms,
  );
  try {
    await once(socket, sign);
    return null;
  } catch (error) {
    return (error as { readonly code?: string }).code ?? 'failure';
  } finally {
    clearTimeout(timer);
  }
};
