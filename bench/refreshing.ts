import type { load } from './load.ts';

export const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Refreshes with the first token of the list, and appends the new one: connections refresh in turn. */
export const refreshing = (
  clientId: string,
  refreshTokens: string[],
): Parameters<typeof load>[0]['step'] => ({
  method: 'POST',
  path: '/oauth/token',
  headers: form,
  body: () => `grant_type=refresh_token&client_id=${clientId}&refresh_token=${refreshTokens.shift() ?? ''}`,
  answered: (status, body) => void (status === 200 && refreshTokens.push(refreshTokenOf(body))),
});

/** From an answer of the token endpoint. */
export const refreshTokenOf = (body: string): string =>
  (JSON.parse(body) as { refresh_token: string }).refresh_token;
