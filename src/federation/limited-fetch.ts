import { rootCertificates } from 'node:tls';
import { makeFetch, openConnections } from '../common/outgoing/outgoing.ts';
import { noProxies, ProxyFailed, type Proxies } from '../common/outgoing/proxies.ts';
import { buildConnector } from '../common/outgoing/undici.ts';
import type { SignInProvider } from '../config/sign-in-providers.ts';
import { type EndpointGuard, EndpointRefused } from '../signals/endpoint/endpoint-guard.ts';
import { openGuardedConnections } from '../signals/push/guarded-connections.ts';
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

/** @throws ProviderTrouble */
export type LimitedFetch = (url: string, options?: Options) => Promise<Response>;

/** Calls a provider: no redirects, limited time and size. Hosts that only its metadata names are guarded like signals' endpoints (SG-09). */
export const makeLimitedFetch = (
  { issuer, ca }: Pick<SignInProvider, 'issuer' | 'ca'>,
  guard: EndpointGuard,
  proxies: Proxies = noProxies,
): LimitedFetch => {
  const authorities = ca === undefined ? {} : { ca: [...rootCertificates, ca].join('\n') };
  const connectorOf = () => buildConnector(authorities);
  const own = makeFetch(proxies, openConnections({ proxies, connectorOf }));
  const others = makeFetch(proxies, openGuardedConnections({ guard, proxies, ...authorities }));
  const { hostname } = new URL(issuer);
  return async (url, options = {}) => {
    const { origin, hostname: called } = new URL(url);
    const signal = AbortSignal.any([
      AbortSignal.timeout(longestCall),
      ...(options.signal ? [options.signal] : []),
    ]);
    try {
      const answer = await (called === hostname ? own : others)(url, {
        method: options.method ?? 'GET',
        headers: options.headers ?? {},
        body: (options.body ?? null) as string | null,
        redirect: 'manual',
        signal,
      });
      return await wholeAnswer(answer as unknown as Response, origin);
    } catch (error) {
      throw troubleOf(error, origin, signal.aborted);
    }
  };
};

const wholeAnswer = async (answer: Response, origin: string): Promise<Response> => {
  const { status } = answer;
  const refuse = (kind: 'unreachable' | 'invalid-answer', found: string) => {
    void answer.body?.cancel().catch(() => undefined);
    return new ProviderTrouble(kind, found, undefined, origin);
  };
  if (status >= 500) throw refuse('unreachable', `it answered with an error (${status})`);
  if (status >= 300 && status < 400)
    throw refuse('invalid-answer', 'it answered with a redirect, which is not followed');
  const body = await limitedBody(answer, origin);
  const headers = new Headers([...answer.headers]);
  headers.delete('content-encoding'); // it is decoded by now
  return new Response(status === 204 ? null : body, { status, headers });
};

const limitedBody = async (answer: Response, origin: string): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > largestAnswer)
      throw new ProviderTrouble('invalid-answer', 'it sent an answer of more than 1 MB', undefined, origin);
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

const troubleOf = (error: unknown, origin: string, isLate: boolean): ProviderTrouble => {
  if (error instanceof ProviderTrouble) return error;
  const { cause } = error as { readonly cause?: unknown };
  if (cause instanceof EndpointRefused)
    return new ProviderTrouble(
      'invalid-answer',
      'its metadata names an address that is not called',
      error,
      `${origin} ${cause.message}`,
    );
  if (error instanceof ProxyFailed)
    return new ProviderTrouble('unreachable', 'it cannot be reached', error, `${origin}: ${error.message}`);
  return isLate
    ? new ProviderTrouble('too-slow', 'it did not answer in time', error, origin)
    : new ProviderTrouble('unreachable', 'it cannot be reached', error, `${origin}: ${codeOf(error)}`);
};

const codeOf = (error: unknown): string => {
  const { cause, name } = error as { readonly cause?: { readonly code?: unknown }; readonly name?: string };
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'no answer');
};
