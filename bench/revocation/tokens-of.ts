import { load } from '../../src/commands/kernel/handle.ts';
import { tokenPairOf } from '../../src/commands/credentials/token-pair.ts';
import type { Core } from '../../src/compose/core.ts';
import { grantDecider } from '../../src/domain/access/grant.ts';
import { grantStream } from '../../src/domain/streams.ts';

/** The access token of a seeded grant, derived from its stream like in the service. */
export const accessTokenOf = async (
  { store, keys }: Pick<Core, 'store' | 'keys'>,
  grantId: string,
): Promise<string> => {
  const { state } = await load(store, grantStream(grantId), grantDecider);
  if (state.status !== 'live') throw new Error(`the seeded grant ${grantId} is not live but ${state.status}`);
  return tokenPairOf(keys, state, Date.now()).accessToken;
};

/** @throws if the list's answer to the token is not as expected: 200 for a valid one, 401 for a revoked one */
export const expectList = async (baseUrl: string, token: string, expected: 200 | 401): Promise<void> => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${baseUrl}/access-rights`, { headers });
  const body = await answer.text();
  if (answer.status !== expected)
    throw new Error(`a list answered ${answer.status} where ${expected} is right: ${body.slice(0, 200)}`);
};
