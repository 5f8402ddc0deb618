import type { EventOf } from '../../domain/events.ts';
import type { GrantRevocationReason } from '../../domain/access/grant.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { standardTypes } from '../set-types.ts';
import { grantSubject, inSeconds, queueOf, type Telling, type Told } from './told.ts';

const aboutGrant = (
  { issuer, recorded, past }: Telling,
  type: string,
  payload: (grantId: string) => Told['payload'],
): readonly Told[] => {
  const grantId = idOf(recorded.stream);
  const grant = past.grant(grantId);
  if (grant === null) return [];
  const { addonId, organizationId, userId } = grant;
  const queue = queueOf(organizationId, userId);
  return [{ addonId, queue, type, subId: grantSubject(issuer, grantId), payload: payload(grantId) }];
};

/** One access token; the others of the grant go on. `jti` is that of introspection. */
export const accessTokenRevoked = (
  { rotation, at }: EventOf<'AccessTokenRevoked'>['data'],
  telling: Telling,
) =>
  aboutGrant(telling, standardTypes.tokenRevoked, (grantId) => ({
    event_timestamp: inSeconds(at),
    token_type: 'access_token',
    jti: `access.${grantId}.${rotation}`,
  }));

/** The deactivation or the retirement has told these, with one SET for all grants. */
const toldBefore: ReadonlySet<GrantRevocationReason> = new Set(['addon-deactivated', 'addon-retired']);

/** Every token of the grant. */
export const grantRevoked = ({ reason, at }: EventOf<'GrantRevoked'>['data'], telling: Telling) =>
  toldBefore.has(reason)
    ? []
    : aboutGrant(telling, standardTypes.tokensRevoked, () => ({ event_timestamp: inSeconds(at), reason }));
