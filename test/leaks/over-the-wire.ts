import type { FastifyInstance, InjectOptions } from 'fastify';
import type { Secrets } from './secrets.ts';

export type Answered = {
  readonly request: string;
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What an add-on or a person sends or gets and nobody else may have, by the name of the field. */
const secretFields = new Set([
  'password',
  'code',
  'code_verifier',
  'refresh_token',
  'access_token',
  'token',
  'client_secret',
  'csrf',
]);

/**
 * `inject` as a real request to a real socket, so that the browser of the tests can be used; every secret on its way
 * is remembered, and so is every answer.
 */
export const overTheWire = (baseUrl: string, secrets: Secrets) => {
  const answers: Answered[] = [];
  const inject = async ({
    method = 'GET',
    headers = {},
    payload,
    cookies = {},
    ...options
  }: InjectOptions) => {
    const url = typeof options.url === 'string' ? options.url : '/';
    const jar = Object.entries(cookies).map(([name, value]) => `${name}=${value as string}`);
    const sent = {
      ...(headers as Record<string, string>),
      ...(jar.length > 0 && { cookie: jar.join('; ') }),
    };
    noteRequest(secrets, url, sent, typeof payload === 'string' ? payload : '');
    const response = await fetch(baseUrl + url, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(typeof payload === 'string' && { body: payload }),
    });
    const body = await response.text();
    const answer = {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body,
      cookies: response.headers.getSetCookie().map(readCookie),
      json: () => JSON.parse(body) as unknown,
    };
    noteAnswer(secrets, answer);
    answers.push({
      request: `${method} ${url}`,
      status: response.status,
      body,
      headers: answer.headers,
    });
    return answer;
  };
  return { app: { inject } as unknown as FastifyInstance, answers };
};

const readCookie = (line: string) => {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  const maxAge = /max-age=(\d+)/i.exec(line)?.[1];
  const isOver = /expires=Thu, 01 Jan 1970/i.test(line);
  return { name, value, ...(isOver ? { maxAge: 0 } : maxAge !== undefined && { maxAge: Number(maxAge) }) };
};

const noteFields = (secrets: Secrets, fields: Iterable<readonly [string, string]>): void => {
  for (const [name, value] of fields) {
    if (secretFields.has(name) && value.length >= 16) secrets.add(name, value);
    if (name === 'interaction') secrets.add('interaction seal', sealOf(value));
    if (name === 'id_token' || name === 'id_token_hint') secrets.add('id_token', sealOf(value));
  }
};

/** What is before the last dot says who and when, and may be known; the proof behind it may not. */
const sealOf = (value: string): string => value.slice(value.lastIndexOf('.') + 1);

const noteRequest = (
  secrets: Secrets,
  url: string,
  { authorization = '' }: Readonly<Record<string, string>>,
  payload: string,
): void => {
  noteFields(secrets, new URL(url, 'http://here').searchParams);
  noteFields(secrets, new URLSearchParams(payload));
  const [scheme, credentials = ''] = authorization.split(' ');
  if (credentials !== '') secrets.add(`${scheme} credentials`, credentials);
};

type Answer = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cookies: readonly { readonly name: string; readonly value: string }[];
};

const noteAnswer = (secrets: Secrets, { headers, body, cookies }: Answer): void => {
  if (headers['location'] !== undefined)
    noteFields(secrets, new URL(headers['location'], 'http://here').searchParams);
  for (const { name, value } of cookies)
    if (name.includes('session') && value !== '') secrets.add('session cookie', sealOf(value));
  for (const [, name = '', value = ''] of body.matchAll(/name="(interaction|csrf)" value="([^"]+)"/g))
    noteFields(secrets, [[name, value]]);
  const [administratorToken] = /mkt_admin_[\w-]{100,}/.exec(body) ?? [];
  if (administratorToken !== undefined) secrets.add('administrator token', administratorToken);
  if (headers['content-type']?.startsWith('application/json') && body.includes('_token'))
    noteFields(secrets, Object.entries(JSON.parse(body) as Record<string, string>));
};
