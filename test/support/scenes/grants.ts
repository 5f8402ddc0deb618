import type { GrantEvent, GrantTerms } from '../../../src/domain/access/grant.ts';

/** RFC 7636, appendix B. */
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export const t0 = 1_800_000_000_000;
export const seconds = (count: number): number => count * 1_000;
export const days = (count: number): number => count * 86_400_000;

export const lifetimes = {
  code: seconds(60),
  accessToken: seconds(3600),
  refreshIdle: days(30),
  refreshAbsolute: days(365),
  refreshGrace: seconds(30),
  refreshGraceOutage: seconds(300),
  replayTolerance: seconds(1),
  session: seconds(3600),
  device: 365 * 86_400_000,
  providerRights: seconds(30 * 86_400),
  handOff: seconds(600),
};

export const terms: GrantTerms = {
  grantId: '01JZZZZZZZZZZZZZZZZZZZZZZG',
  addonId: '01JZZZZZZZZZZZZZZZZZZZZZZA',
  userId: '01JZZZZZZZZZZZZZZZZZZZZZZV',
  subject: { kind: 'organization', organizationId: '01JZZZZZZZZZZZZZZZZZZZZZZR', epoch: 1 },
  scopes: ['openid', 'access-rights:read'],
  redirectUri: 'https://addon.example/cb?x=1',
  codeChallenge: challenge,
  nonce: null,
  resources: [],
  authTime: t0 - seconds(5),
  authentication: null,
  keyId: 'k1',
  salt: 'Y29kZWNvZGVjb2RlY29kZQ',
  at: t0,
  expiresAt: t0 + lifetimes.code,
};

export const codeIssued: GrantEvent = { type: 'AuthorizationCodeIssued', data: terms };

export const codeRedeemed = (at: number, salt = 'salt0'): GrantEvent => ({
  type: 'AuthorizationCodeRedeemed',
  data: {
    keyId: 'k1',
    salt,
    at,
    accessExpiresAt: at + lifetimes.accessToken,
    refreshIdleExpiresAt: at + lifetimes.refreshIdle,
    refreshAbsoluteExpiresAt: at + lifetimes.refreshAbsolute,
    resources: null,
  },
});

/** In the form of the decider, for a grant whose code was redeemed at `t0`. */
export const tokensRefreshed = (
  rotation: number,
  at: number,
  {
    salt = `salt${rotation}`,
    scopes = terms.scopes,
    grace = lifetimes.refreshGrace,
    resources = null as readonly string[] | null,
    counts = { rejections: 0, hour: { began: t0, rotations: rotation } },
  } = {},
): GrantEvent => ({
  type: 'TokensRefreshed',
  data: {
    rotation,
    keyId: 'k1',
    salt,
    scopes,
    at,
    accessExpiresAt: Math.min(at + lifetimes.accessToken, t0 + lifetimes.refreshAbsolute),
    refreshIdleExpiresAt: Math.min(at + lifetimes.refreshIdle, t0 + lifetimes.refreshAbsolute),
    graceUntil: at + grace,
    resources,
    counts,
  },
});

export const grantRevoked = (
  reason: Extract<GrantEvent, { type: 'GrantRevoked' }>['data']['reason'],
  at: number,
): GrantEvent => ({ type: 'GrantRevoked', data: { reason, at } });
