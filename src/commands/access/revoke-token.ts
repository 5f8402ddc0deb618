import {
  accessTokenDecider,
  accessTokenOf,
  type AccessTokenState,
  revokeAccessToken,
} from '../../domain/access/access-token.ts';
import { refuse } from '../../domain/kernel/decision.ts';
import { accessSubject, grantSubject } from '../../domain/fence/fence.ts';
import { revokeByAddon, type RevocationRefusal } from '../../domain/access/grant-revoke.ts';
import { grantDecider } from '../../domain/access/grant.ts';
import { grantStream } from '../../domain/streams.ts';
import { makeRevokeAddonToken } from './addon-tokens.ts';
import { readAddonToken } from '../credentials/addon-token-text.ts';
import { makeVerifyAccessToken, type AccessTokenClaims } from '../credentials/access-token.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { verifyCredential, type VerifiedCredential } from '../credentials/credentials.ts';
import type { GrantDependencies } from './dependencies.ts';
import { type Known } from '../kernel/handle.ts';
import { loadGrant } from './load-grant.ts';
import { readTerms } from './open-grant.ts';
import { provenBy, refuteByGrant } from '../log/proven-log.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { isRefreshTokenOf } from './refresh-token.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

/** A token, and the add-on that presents it. */
export type PresentedToken = { readonly addonId: string; readonly token: string };

type Revoked = Outcome<'revoked' | 'nothing-to-revoke', Exclude<RevocationRefusal, 'token-unknown'>>;

const revoked: Revoked = { ok: true, value: 'revoked' };
const nothing: Revoked = { ok: true, value: 'nothing-to-revoke' };
const foreign: Revoked = { ok: false, refusal: 'token-of-another-client' };

/**
 * Revokes a token of the add-on that presents it (RFC 7009). When this returns, every instance refuses what it has
 * ended (RV-06): a refresh token ends its whole grant, any access token only itself (RV-05). The token itself says of
 * which kind it is: a hint is not needed (RV-04). A string that is not, or no longer, a token of ours changes nothing
 * and is not refused (RV-01).
 */
export const makeRevokeToken = (dependencies: GrantDependencies) => {
  const openAccessToken = makeVerifyAccessToken(dependencies);
  const revokeAccess = makeRevokeAccess(dependencies);
  const revokeFamily = makeRevokeFamily(dependencies);
  const revokeOwn = makeRevokeAddonToken(dependencies);
  return async ({ addonId, token }: PresentedToken, context?: CommandContext): Promise<Revoked> => {
    const claims = openAccessToken(token);
    if (claims) return claims.addonId === addonId ? revokeAccess(claims, context) : foreign;
    const own = readAddonToken(dependencies.keys, token);
    if (own && own.addonId !== addonId) return foreign;
    if (own) return (await revokeOwn(own, context)) ? revoked : nothing;
    const opened = verifyCredential(dependencies.keys, 'refresh', token);
    return opened ? revokeFamily(addonId, opened, context) : nothing;
  };
};

/**
 * Checks the fence even when nothing is appended: an earlier call may have crashed between the append and the write to
 * the fence.
 */
const makeRevokeFamily =
  (dependencies: GrantDependencies) =>
  async (
    addonId: string,
    opened: VerifiedCredential,
    context: CommandContext | undefined,
  ): Promise<Revoked> => {
    const { store, fence, keys, cache, now } = dependencies;
    const { grantId, rotation } = opened;
    const stream = grantStream(grantId);
    const found = await readTerms(dependencies, opened);
    if (!found) return nothing;
    const { terms, first } = found;
    if (terms.addonId !== addonId) return foreign; // after a few events, however long the stream is (GR-02)
    const handled = await handleRetrying(
      store,
      stream,
      grantDecider,
      (grant) =>
        isRefreshTokenOf(keys, opened, grant)
          ? revokeByAddon(grant, { addonId, rotation, now: now() })
          : refuse('token-unknown'),
      {
        context,
        metadata: { actor: `addon:${addonId}` },
        load: () => loadGrant(store, stream, { known: cache.get(grantId), first }),
      },
    );
    if (handled.refusal === 'token-of-another-client') return foreign;
    if (handled.refusal) await refuteByGrant(dependencies, opened, handled.state, provenBy(opened));
    if (handled.refusal) return nothing;
    await completeFence(fence, grantSubject(grantId), handled);
    cache.remember(grantId, handled);
    return handled.events.length > 0 ? revoked : nothing;
  };

/**
 * Whether a token was revoked before is in the newest events or in the fence. If an earlier call crashed between its
 * append and its write to the fence, the event is among the newest, and this call completes it; for older events the
 * projector wrote the fence long ago.
 */
const makeRevokeAccess =
  (dependencies: GrantDependencies) =>
  async (claims: AccessTokenClaims, context: CommandContext | undefined): Promise<Revoked> => {
    const { store, fence, now } = dependencies;
    const { grantId, rotation, addonId } = claims;
    const stream = grantStream(grantId);
    const subject = accessSubject(grantId, rotation);
    const loadToken = async (): Promise<Known<AccessTokenState>> => {
      const [row] = await fence.read([subject]); // read before the stream: an event that arrives in between is among the newest ones
      const known = await loadGrant(store, stream);
      await refuteByGrant(dependencies, claims, known.state, provenBy(claims));
      const isRevoked = [row, ...known.fenced].some((each) => each?.subject === subject && !each.open);
      return { ...known, state: accessTokenOf(known.state, { rotation, isRevoked }) };
    };
    const handled = await handleRetrying(
      store,
      stream,
      accessTokenDecider(rotation),
      (token) => revokeAccessToken(token, { rotation, now: now() }),
      { context, metadata: { actor: `addon:${addonId}` }, load: loadToken },
    );
    if (handled.refusal) return nothing;
    await completeFence(fence, subject, handled);
    return handled.events.length > 0 ? revoked : nothing;
  };

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
