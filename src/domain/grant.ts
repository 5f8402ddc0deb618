import type { Instant } from './decision.ts';
import type { Scope } from './scope.ts';

/** Whose records a grant opens. An organization's grant hangs on the activation's epoch (AC-03, DE-05). */
export type GrantSubject =
  | { readonly kind: 'organization'; readonly organizationId: string; readonly epoch: number }
  | { readonly kind: 'user'; readonly userId: string };

export type GrantRevocationReason =
  | 'addon-deactivated'
  | 'code-replayed'
  | 'refresh-token-reused'
  | 'too-many-failed-proofs'
  | 'revoked-by-addon'
  | 'consent-withdrawn'
  | 'account-disabled';

/**
 * One authorization from code to end, in one stream: "a code works once" and "an old refresh token is noticed"
 * are then a matter of the expected revision. `salt` (16 random bytes, base64url) and `keyId` let the server derive
 * the credentials again; neither is usable without the server's key.
 */
export type GrantEvent =
  | {
      readonly type: 'AuthorizationCodeIssued';
      readonly data: {
        readonly grantId: string;
        readonly addonId: string;
        /** The user who approved: the actor, and the subject of an id_token. */
        readonly userId: string;
        readonly subject: GrantSubject;
        readonly scopes: readonly Scope[];
        readonly redirectUri: string;
        readonly codeChallenge: string;
        readonly nonce: string | null;
        readonly resources: readonly string[];
        readonly authTime: Instant;
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | {
      readonly type: 'AuthorizationCodeRedeemed';
      readonly data: {
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly accessExpiresAt: Instant;
        readonly refreshIdleExpiresAt: Instant;
        /** Never moves again (RT-13). */
        readonly refreshAbsoluteExpiresAt: Instant;
      };
    }
  | {
      readonly type: 'CodeExchangeRejected';
      readonly data: { readonly reason: string; readonly at: Instant };
    }
  | { readonly type: 'AuthorizationCodeReplayed'; readonly data: { readonly at: Instant } }
  | {
      readonly type: 'TokensRefreshed';
      readonly data: {
        /** 1 for the first refresh; the pair of the exchange is rotation 0. */
        readonly rotation: number;
        readonly keyId: string;
        readonly salt: string;
        /** Of the access token; the refresh token keeps the grant's (RT-09). */
        readonly scopes: readonly Scope[];
        readonly at: Instant;
        readonly accessExpiresAt: Instant;
        readonly refreshIdleExpiresAt: Instant;
        /** Until when the predecessor may ask for this same pair again (RT-04). */
        readonly graceUntil: Instant;
      };
    }
  | {
      readonly type: 'RefreshRejected';
      readonly data: { readonly rotation: number; readonly reason: string; readonly at: Instant };
    }
  | {
      readonly type: 'RefreshTokenReused';
      readonly data: { readonly rotation: number; readonly at: Instant };
    }
  | {
      readonly type: 'AccessTokenRevoked';
      readonly data: { readonly rotation: number; readonly at: Instant };
    }
  | {
      readonly type: 'GrantRevoked';
      readonly data: { readonly reason: GrantRevocationReason; readonly at: Instant };
    };
