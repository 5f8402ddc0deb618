import { ProviderTrouble } from './provider-trouble.ts';

/** A larger answer is no answer of a provider: documents and key sets have a few kilobytes. In bytes. */
const largestAnswer = 1_000_000;

/** For one call, in milliseconds. */
const longestCall = 4_000;

type Options = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Calls a provider: no redirects are followed, and the whole answer has to arrive within a few seconds and in a limited
 * size.
 * @throws ProviderTrouble
 */
export const limitedFetch = async (url: string, options: Options): Promise<Response> => {
  const { origin } = new URL(url);
  const signal = AbortSignal.any([
    AbortSignal.timeout(longestCall),
    ...(options.signal ? [options.signal] : []),
  ]);
  try {
    const answer = await fetch(url, {
      method: options.method ?? 'GET',
      headers: options.headers ?? {},
      body: (options.body ?? null) as BodyInit | null,
      redirect: 'manual',
      signal,
    });
    if (answer.status >= 500) {
      void answer.body?.cancel().catch(() => undefined);
      throw new ProviderTrouble('unreachable', `${origin} answered with an error (${answer.status})`);
    }
    if (answer.status >= 300 && answer.status < 400) {
      void answer.body?.cancel().catch(() => undefined);
      throw new ProviderTrouble(
        'invalid-answer',
        `${origin} answered with a redirect, which is not followed`,
      );
    }
    const body = await limitedBody(answer, origin);
    const { status } = answer;
    const headers = new Headers(answer.headers);
    headers.delete('content-encoding'); // it is decoded by now
    return new Response(status === 204 ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof ProviderTrouble) throw error;
    throw signal.aborted
      ? new ProviderTrouble('too-slow', `${origin} did not answer in time`, error)
      : new ProviderTrouble('unreachable', `${origin} cannot be reached (${codeOf(error)})`, error);
  }
};

const limitedBody = async (answer: Response, origin: string): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > largestAnswer)
      throw new ProviderTrouble('invalid-answer', `${origin} sent an answer of more than 1 MB`);
    chunks.push(chunk as Uint8Array);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
};

const codeOf = (error: unknown): string => {
  const { cause, name } = error as { readonly cause?: { readonly code?: unknown }; readonly name?: string };
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'no answer');
};
