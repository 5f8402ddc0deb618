import type { Instant } from './decision.ts';
import type { Scope } from './scope.ts';

/** An add-on as its provider registered it. Registration is an operator's act, never an API call (AD-01). */
export type AddonEvent =
  | {
      readonly type: 'AddonRegistered';
      readonly data: {
        readonly addonId: string;
        readonly name: string;
        readonly redirectUris: readonly string[];
        readonly configurationUrl: string | null;
        readonly allowedScopes: readonly Scope[];
        readonly confidential: boolean;
        readonly at: Instant;
      };
    }
  | {
      /** Digest of a client secret: SHA-256, base64url (the secret itself has 256 random bits; AD-02). */
      readonly type: 'AddonSecretAdded';
      readonly data: { readonly secretId: string; readonly digest: string; readonly at: Instant };
    }
  | { readonly type: 'AddonSuspended'; readonly data: { readonly at: Instant } }
  | { readonly type: 'AddonResumed'; readonly data: { readonly at: Instant } };
