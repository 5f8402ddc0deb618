import type { Step } from './load.ts';

export const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A client at the token endpoint; its `authorization` header, if it has a secret. */
export type Client = {
  readonly clientId: string;
  readonly authorization?: string | undefined;
  readonly tokenPath?: string;
};
type Redirected = Client & { readonly redirectUri: string; readonly codeVerifier: string };

type TokenAnswer = { readonly access_token: string; readonly refresh_token: string };

/** Authorizes without a page, in sessions that take turns, and appends the codes. */
export const authorizing = (path: string, cookies: string[], codes: string[]): Step => ({
  method: 'GET',
  path,
  freshHeaders: () => ({ cookie: nextOf(cookies) }),
  answered: (_status, _body, headers) => {
    const location = headers['location'] ?? headers['Location'];
    const code = new URL(location ?? 'https://none.example').searchParams.get('code');
    if (code) codes.push(code);
  },
});

const nextOf = (cookies: string[]): string => {
  const next = cookies.shift() ?? '';
  cookies.push(next);
  return next;
};

/** Exchanges the codes, each once. */
export const exchanging = (
  { redirectUri, codeVerifier, ...client }: Redirected,
  codes: string[],
  took: (tokens: TokenAnswer) => void,
): Step =>
  asking(
    client,
    () => ({
      grant_type: 'authorization_code',
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      code: codes.shift() ?? '',
    }),
    took,
  );

/** Refreshes with the first token of the list, and appends the new one: connections refresh in turn. */
export const refreshing = (client: Client, refreshTokens: string[]): Step =>
  asking(
    client,
    () => ({ grant_type: 'refresh_token', refresh_token: refreshTokens.shift() ?? '' }),
    ({ refresh_token }) => void refreshTokens.push(refresh_token),
  );

const asking = (
  { clientId, authorization, tokenPath = '/oauth/token' }: Client,
  params: () => Readonly<Record<string, string>>,
  took: (tokens: TokenAnswer) => void,
): Step => ({
  method: 'POST',
  path: tokenPath,
  headers: { ...form, ...(authorization !== undefined && { authorization }) },
  body: () => new URLSearchParams({ client_id: clientId, ...params() }).toString(),
  answered: (status, body) => {
    if (status === 200) took(JSON.parse(body) as TokenAnswer);
  },
});
