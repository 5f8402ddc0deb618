/** A logout token whose signature, issuer, audience and times are verified. */
export type LogoutToken = {
  readonly issuer: string;
  readonly jti: string;
  readonly sid: string | null;
  readonly subject: string | null;
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number;
};

const event = 'http://schemas.openid.net/event/backchannel-logout';
const longest = 255;
/** In seconds: one without `exp`, which some providers leave out, is accepted for this long. */
const acceptedFor = 120;

type Payload = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longest;
const isObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * OpenID Connect Back-Channel Logout 1.0 §2.6, beyond any JWT; `exp` is missing in Hydra 2.2, older Keycloak and authentik.
 * @param times in seconds @returns the token, or which rule it breaks
 */
export const checkLogoutToken = (
  header: Payload,
  payload: Payload,
  times: { readonly now: number; readonly clockTolerance: number },
): { readonly token: LogoutToken } | { readonly problem: string } => {
  const { iss, sub, sid, jti, iat, exp, events, nonce } = payload;
  const wrong = (problem: string) => ({ problem });
  const { typ } = header;
  if (typ !== undefined && !(isText(typ) && /^(application\/)?(logout\+)?jwt$/i.test(typ)))
    return wrong('typ is not logout+jwt');
  if (!isText(iss)) return wrong('iss is missing');
  if (typeof iat !== 'number') return wrong('iat is missing');
  if (iat > times.now + times.clockTolerance) return wrong('iat is in the future');
  if (exp === undefined && times.now > iat + acceptedFor)
    return wrong('exp is missing, and iat is too long ago');
  const end = typeof exp === 'number' ? exp : iat + acceptedFor;
  if (sub === undefined && sid === undefined) return wrong('sub and sid are both missing');
  if (sub !== undefined && !isText(sub)) return wrong('sub is not a text of 1 to 255 characters');
  if (sid !== undefined && !isText(sid)) return wrong('sid is not a text of 1 to 255 characters');
  if (!isObject(events) || !isObject(events[event]))
    return wrong('events does not name a back-channel logout');
  if (nonce !== undefined) return wrong('nonce is there, which only an id_token has');
  if (!isText(jti)) return wrong('jti is missing');
  return {
    token: { issuer: iss, jti, sid: sid ?? null, subject: sub ?? null, expiresAt: end * 1000 },
  };
};
