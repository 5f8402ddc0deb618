import { challenge, verifier } from '../support/scenes/grants.ts';
import { webRedirect, type Client, type Clients } from './clients.ts';
import { changed, encoded, type Change, type Given } from './edge-request.ts';
import type { Side } from './side.ts';
import { form, visit, type Goal, type Jar, type User } from './visitor.ts';

export type Values = Readonly<Record<string, string>>;

export const authorizeBase = ({ id, redirectUris }: Client): Readonly<Record<string, string>> => ({
  client_id: id,
  redirect_uri: redirectUris[0] ?? webRedirect,
  response_type: 'code',
  scope: 'openid profiles:read',
  state: 'st+&=%#',
  code_challenge: challenge,
  code_challenge_method: 'S256',
});

export const exchangeBase = ({ id, redirectUris }: Client): Readonly<Record<string, string>> => ({
  grant_type: 'authorization_code',
  client_id: id,
  code: '{code}',
  redirect_uri: redirectUris[0] ?? webRedirect,
  code_verifier: verifier,
});

export const refreshBase = ({ id }: Client): Readonly<Record<string, string>> => ({
  grant_type: 'refresh_token',
  client_id: id,
  refresh_token: '{refresh_token}',
});

/** Goes through the authorization pages. @returns the parameters that came back */
export const authorize = async (
  side: Side,
  jar: Jar,
  client: Client,
  { asking = {}, goal = 'allow', user }: { asking?: Change; goal?: Goal; user?: User } = {},
): Promise<URLSearchParams> => {
  const target = `/oauth/authorize?${encoded(changed(authorizeBase(client), asking))}`;
  const answer = await visit(side, jar, { method: 'GET', target, headers: {} }, goal, user);
  return new URL(answer.headers.location ?? 'none:').searchParams;
};

type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly id_token: string };

const secretOf = ({ confidential, secret }: Client): Change =>
  confidential ? { client_secret: secret } : {};

const token = async (side: Side, base: Values, change: Change): Promise<Tokens> => {
  const { status, body } = await side.wire.send({
    method: 'POST',
    target: '/oauth/token',
    headers: { 'content-type': form },
    body: encoded(changed(base, change)),
  });
  if (status !== 200) throw new Error(`${side.name} gave no tokens: ${status} ${body}`);
  return JSON.parse(body) as Tokens;
};

/** Makes what a request needs, the same way at either server. */
export const prepare = async (
  side: Side,
  jar: Jar,
  clients: Clients,
  { made, by, asking = {} }: Given,
): Promise<Values> => {
  const client = clients[by];
  const code = (await authorize(side, jar, client, { asking })).get('code');
  if (code === null) throw new Error(`${side.name} gave no code`);
  const values = { code, ...spoiltCodes(code) };
  if (made === 'code') return values;

  const redirect = asking['redirect_uri'] === undefined ? {} : { redirect_uri: asking['redirect_uri'] };
  const exchange = { code, ...redirect, ...secretOf(client) };
  const first = await token(side, exchangeBase(client), exchange);
  const firstValues = { ...values, ...first };
  if (made === 'tokens' || made === 'spent-code') return firstValues;
  if (made === 'replayed-code') {
    await side.advance(2_000);
    await token(side, exchangeBase(client), exchange).catch(() => undefined);
    return firstValues;
  }
  const refresh = (refresh_token: string) =>
    token(side, refreshBase(client), { refresh_token, ...secretOf(client) });
  const second = await refresh(first.refresh_token);
  const last = made === 'rotated' ? second : await refresh(second.refresh_token);
  return { ...values, ...last, old_refresh_token: first.refresh_token };
};

const spoiltCodes = (code: string): Values => ({
  'code cut': code.slice(0, -1),
  'code tampered': code.slice(0, -6) + (code.at(-6) === 'A' ? 'B' : 'A') + code.slice(-5),
  'code in lower case': code.toLowerCase(),
});

/** An id_token and what can be done to it, for `id_token_hint`. */
export const spoiltIdTokens = (idToken: string): Values => {
  const [header = '', payload = '', signature = ''] = idToken.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    id_token: idToken,
    'id_token unsigned': `${encode({ alg: 'none' })}.${payload}.`,
    'id_token with another subject': `${header}.${encode({ ...claims, sub: 'mallory' })}.${signature}`,
    'id_token with another signature': `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
    'id_token cut': `${header}.${payload}`,
  };
};
