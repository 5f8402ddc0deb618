import { mintAccessToken } from '../../src/commands/credentials/access-token.ts';
import type { TokenKeys } from '../../src/commands/credentials/token-keys.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';

/** A token for the three lists, as the add-on A1 of `a-story.ts` would be given one; nothing in the fence is against it. */
export const listToken = (keys: TokenKeys, subject: GrantSubject): string =>
  mintAccessToken(
    keys,
    { keyId: keys.current, salt: 'salt' },
    {
      grantId: 'G1',
      rotation: 0,
      expiresAt: Date.now() + 3_600_000,
      addonId: 'A1',
      userId: 'U1',
      subject,
      scopes: ['profiles:read', 'reservations:read', 'access-rights:read'],
      audience: { ownApi: true, among: 1 },
    },
  );
