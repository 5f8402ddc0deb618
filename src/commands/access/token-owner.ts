import { makeVerifyAccessToken } from '../credentials/access-token.ts';
import { readAddonToken } from '../credentials/addon-token-text.ts';
import { verifyCredential } from '../credentials/credentials.ts';
import type { GrantDependencies } from './dependencies.ts';
import { readTerms } from './open-grant.ts';

/**
 * The add-on that a token was issued to; null for anything but a token of ours. An access token contains it; for a
 * refresh token it is in the first event of its grant. A forged one costs no I/O.
 */
export const makeTokenOwner = (dependencies: GrantDependencies) => {
  const openAccessToken = makeVerifyAccessToken(dependencies);
  return async (token: string): Promise<string | null> => {
    const claims = openAccessToken(token) ?? readAddonToken(dependencies.keys, token);
    if (claims) return claims.addonId;
    const opened = verifyCredential(dependencies.keys, 'refresh', token);
    return opened && ((await readTerms(dependencies, opened))?.terms.addonId ?? null);
  };
};
