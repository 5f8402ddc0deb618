import type { Instant } from './decision.ts';

/** A browser session. The cookie's secret part is an HMAC over the session's id and `salt`. */
export type SessionEvent =
  | {
      readonly type: 'SessionStarted';
      readonly data: {
        readonly sessionId: string;
        readonly userId: string;
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | {
      /** The proof that this browser just activated: the configuration URL's hint proves nothing (AC-01). */
      readonly type: 'ActivationHandedOff';
      readonly data: {
        readonly organizationId: string;
        readonly addonId: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | { readonly type: 'SessionEnded'; readonly data: { readonly at: Instant } };
