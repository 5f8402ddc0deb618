import { raceAbort } from '../../common/race-abort.ts';
import { errors, type Dispatcher } from './undici.ts';
import { describeAnswer, largestErrorBody } from './describe-answer.ts';
import { describeFailure } from './describe-failure.ts';

/** One Security Event Token on its way to a receiver. */
export type Push = {
  readonly endpointUrl: string;
  /** The value of the `Authorization` header, or null for none. */
  readonly authorization: string | null;
  /** The signed SET in compact form. */
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
 * Sends a SET (RFC 8935 §2.1). Only 202 says that it was taken (§2.2); redirects are not followed. Never rejects.
 * @param stopping aborts the push, which then is a failure
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

/**
 * The start of the body, as much as is kept of an error, or what has arrived when the receiver dies in the middle; the
 * connection of a longer body is given up.
 */
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
