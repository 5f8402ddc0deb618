import { jsonIn } from '../../common/json-in.ts';
import { oneLine } from '../../common/one-line.ts';
import { raceAbort } from '../../common/linked-abort.ts';
import { english } from '../../common/words.ts';
import { ProxyFailed } from '../../common/outgoing/proxies.ts';
import { EndpointRefused } from '../endpoint/endpoint-guard.ts';
import { errors, type Dispatcher } from '../../common/outgoing/undici.ts';

export type Push = {
  readonly endpointUrl: string;
  /** The value of the `Authorization` header, or null for none. */
  readonly authorization: string | null;
  readonly set: string;
};

/** Without `error` the receiver has taken the SET. The error is one line of plain words, without secrets. */
export type Pushed = { readonly error: string | null };

/** SG-08: look-up, connection, request and answer together. */
export const pushTimeoutMs = 10_000;

/** How long the end of an answer to a taken SET is waited for, so that its connection can be used again. */
const restMs = 1_000;

/** Answers such as 103 before the answer itself (RFC 9110 §15.2): a receiver could send them without an end. */
const mostInterim = 10;

/**
 * Sends a SET (RFC 8935 §2.1); only 202 takes it (§2.2), no redirects. @throws ProxyFailed where it is no failure of the receiver @param stopping aborts, a failure then
 * @param userAgent tells the receiver who calls (RFC 9110 §10.1.5)
 */
export const pushSet = async (
  connections: Dispatcher,
  { endpointUrl, authorization, set }: Push,
  stopping: AbortSignal,
  timeoutMs = pushTimeoutMs,
  userAgent = 'Grantbook',
): Promise<Pushed> => {
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(), timeoutMs);
  const stop = () => slow.abort();
  stopping.addEventListener('abort', stop);
  let interim = 0;
  try {
    stopping.throwIfAborted();
    const { origin, pathname, search } = new URL(endpointUrl);
    const request = connections.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        'content-type': 'application/secevent+jwt',
        accept: 'application/json',
        'user-agent': userAgent,
        ...(authorization !== null && { authorization }),
      },
      body: set,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: slow.signal,
      onInfo: () => {
        interim += 1;
        if (interim > mostInterim) throw new errors.HeadersOverflowError();
      },
    });
    // undici does not hear of an abort before it is connected. Nothing is sent after it all the same.
    const answer = await raceAbort(request, slow.signal);
    if (!answer) return { error: describeFailure(null, timeoutMs) };
    if (answer.statusCode === 202) {
      await drop(answer);
      return { error: null };
    }
    const body = await readStart(answer);
    return { error: describeAnswer(answer.statusCode, body, authorization) };
  } catch (error) {
    if (error instanceof ProxyFailed && error.isUseless) throw error;
    return { error: describeFailure(error, slow.signal.aborted ? timeoutMs : null) };
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
};

/** What comes after the 202 says nothing more: it is read to its end only where that is near. */
const drop = async ({ body }: Dispatcher.ResponseData): Promise<void> => {
  body.on('error', () => undefined);
  const cut = setTimeout(() => body.destroy(), restMs);
  await body.dump({ limit: largestErrorBody }).catch(() => undefined);
  clearTimeout(cut);
};

/** The body's start, as kept of an error, also if the receiver dies; a longer body's connection is given up. */
const readStart = async ({ body }: Dispatcher.ResponseData): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > largestErrorBody) break; // leaving the loop destroys the body
    }
  } catch {
    // The status alone says that the SET was not taken.
  }
  return Buffer.concat(chunks).subarray(0, largestErrorBody).toString('utf8');
};

/** Of an answer that is no 202, in bytes. A JSON body is read whole or not at all, and `description` may be long (RFC 8935 §2.3). */
const largestErrorBody = 65_536;

/** What a receiver answered instead of 202, with RFC 8935 §2.3's `err` and `description`, our `Authorization` hidden. */
const describeAnswer = (status: number, body: string, authorization: string | null): string => {
  const { err, description } = errorIn(body);
  const said = [err, description].filter((text) => text !== '').join(': ');
  const code = String(status);
  if (said !== '') return t.answeredWith(code, oneLine(withoutSecrets(said, authorization)));
  return status >= 300 && status < 400 ? t.redirected(code) : t.answered(code);
};

const errorIn = (body: string): { readonly err: string; readonly description: string } => {
  const parsed = jsonIn(body);
  const text = (name: string) => {
    const value = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : null;
    return typeof value === 'string' ? value : '';
  };
  return { err: text('err'), description: text('description') };
};

/** The whole header, and its parts (`Bearer abc`: `abc`). */
const withoutSecrets = (text: string, authorization: string | null): string =>
  [authorization ?? '', ...(authorization ?? '').split(/\s+/).slice(1)]
    .filter((secret) => secret.length > 3)
    .reduce((rest, secret) => rest.replaceAll(secret, '(hidden)'), text);

/** Pages say it in the language of their reader. */
const t = english.deliveries;

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: t.refused,
  ECONNRESET: t.closed,
  EPIPE: t.closed,
  UND_ERR_SOCKET: t.closed,
  EHOSTUNREACH: t.unreachable,
  ENETUNREACH: t.unreachable,
  EADDRNOTAVAIL: t.unreachable,
  ETIMEDOUT: t.notInTime,
  UND_ERR_CONNECT_TIMEOUT: t.notInTime,
  UND_ERR_HEADERS_OVERFLOW: t.largeHeaders,
  CERT_HAS_EXPIRED: t.expired,
  CERT_NOT_YET_VALID: t.notYetValid,
  DEPTH_ZERO_SELF_SIGNED_CERT: t.selfSigned,
  ERR_TLS_CERT_ALTNAME_INVALID: t.otherHost,
};

/** Why there was no answer, for the endpoint's owner: not the error's text, which may name addresses. `timeoutMs`: how long it had. */
const describeFailure = (error: unknown, timeoutMs: number | null): string => {
  if (error instanceof EndpointRefused) return t.notConnected(error.message);
  if (error instanceof ProxyFailed) return t.unreachable;
  if (timeoutMs !== null) return t.noWholeAnswer(String(timeoutMs / 1000));
  const code = codeOf(error);
  const known = failures[code];
  if (known) return known;
  if (/CERT|LEAF_SIGNATURE|ISSUER/.test(code)) return t.unverifiable(code);
  if (/SSL|TLS|EPROTO/.test(code)) return t.noTls(code);
  if (error instanceof errors.HTTPParserError) return t.noHttp;
  return code === '' ? t.failed : t.failedBy(code);
};

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : '';
};
