import { makeEndGrants } from '../../src/reactions/end-grants.ts';
import type { Core } from '../../src/compose/core.ts';
import { redirectUri } from '../world.ts';
import type { Decided } from './names.ts';
import type { Held } from './rotated-grant.ts';

/** RFC 7636, appendix B; matches the challenge of the seeded grants. */
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** Decides once, and returns the tokens that the add-on has then. @throws if the decision is not as expected */
export const decide = async (
  { commands, store }: Pick<Core, 'store' | 'commands'>,
  addonId: string,
  decided: Decided,
  held: Held,
): Promise<Held> => {
  const expected = (isRight: boolean) => {
    if (!isRight) throw new Error(`${decided} of ${held.grantId} was decided otherwise than it should be`);
  };
  const { code, accessToken, refreshToken, grantId } = held;
  switch (decided) {
    case 'refresh': {
      const refreshed = await commands.refreshToken({ addonId, refreshToken, scopes: null, resources: null });
      if (!refreshed.ok) throw new Error(`refresh of ${grantId}: ${refreshed.refusal}`);
      return { ...held, ...refreshed.value };
    }
    case 'introspect-refresh':
    case 'introspect-access': {
      const token = decided === 'introspect-access' ? accessToken : refreshToken;
      expected((await commands.introspectToken({ addonId, audiences: [], token })) !== null);
      return held;
    }
    case 'late-exchange': {
      const late = await commands.exchangeCode({ addonId, code, redirectUri, codeVerifier, resources: null });
      expected(!late.ok && late.refusal === 'code-already-redeemed');
      return held;
    }
    case 'revoke': {
      const revoked = await commands.revokeToken({ addonId, token: refreshToken });
      expected(revoked.ok && revoked.value === 'revoked');
      return held;
    }
    case 'reaction':
      expected((await makeEndGrants({ store, now: Date.now })(reactionTo(grantId), never)) !== null);
      return held;
  }
};

const never = new AbortController().signal;

const reactionTo = (grantId: string) => ({
  grants: one(grantId),
  reason: 'addon-deactivated' as const,
  cause: { id: '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11' },
  actor: 'revoke-on-deactivation',
});

// eslint-disable-next-line @typescript-eslint/require-await
const one = async function* (grantId: string) {
  yield [{ grantId }];
};
