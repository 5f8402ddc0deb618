/** A pair of tokens as the add-on got it. */
export type Tokens = { readonly accessToken: string; readonly refreshToken: string };

/**
 * `nothing` is what a client must expect of a service that dies: no answer, half of one, or "try again" (503). Whoever
 * gets it knows nothing about what was done.
 */
export type TokenAnswer =
  | { readonly kind: 'tokens'; readonly tokens: Tokens }
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  | { readonly kind: 'nothing' };

export const askForTokens = async (
  baseUrl: string,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenAnswer> => {
  try {
    const body = new URLSearchParams(parameters);
    const answer = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body });
    const said = (await answer.json()) as Partial<Record<string, string>>;
    if (answer.status === 503) return { kind: 'nothing' };
    if (!answer.ok) return { kind: 'refused', status: answer.status, error: said['error'] ?? '' };
    const { access_token: accessToken = '', refresh_token: refreshToken = '' } = said;
    return { kind: 'tokens', tokens: { accessToken, refreshToken } };
  } catch {
    return { kind: 'nothing' };
  }
};

export const refresh = (baseUrl: string, clientId: string, refreshToken: string): Promise<TokenAnswer> =>
  askForTokens(baseUrl, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });

/** A code as the add-on got it, with what it needs to redeem it. */
export type Code = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly code: string;
  readonly verifier: string;
};

export const exchange = (baseUrl: string, { clientId, redirectUri, code, verifier }: Code) =>
  askForTokens(baseUrl, {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });

/** The status of a list, asked for with this access token. */
export const listStatus = async (baseUrl: string, { accessToken }: Tokens): Promise<number> => {
  const answer = await fetch(`${baseUrl}/profiles?per_page=1`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  await answer.arrayBuffer();
  return answer.status;
};
