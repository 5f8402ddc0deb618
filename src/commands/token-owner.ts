import { makeVerifyAccessToken } from './access-token.ts';
import type { Commands } from './commands.ts';
import { verifyCredential } from './credentials.ts';
import type { GrantNeeds } from './grant-cache.ts';
import { readTerms } from './open-grant.ts';

/** An access token says it itself; of a refresh token the first event of its grant does. */
export const makeTokenOwner = (needs: GrantNeeds): Commands['tokenOwner'] => {
  const openAccessToken = makeVerifyAccessToken(needs);
  return async (token) => {
    const claims = openAccessToken(token);
    if (claims) return claims.addonId;
    const opened = verifyCredential(needs.keys, 'refresh', token);
    return opened && ((await readTerms(needs, opened.grantId))?.addonId ?? null);
  };
};
