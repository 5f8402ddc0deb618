import type { EventType } from '../../domain/events.ts';

/** Turns the data of one version into the data of the next. Must accept all data, without side effects. */
export type Upcast = (data: unknown) => unknown;

/**
 * Per event type, the steps from each version to the next: the first turns version 1 into 2. A type without steps is at
 * version 1. A schema change needs a step here and a fixture of the new version; old events stay unchanged.
 */
export const upcasts: { readonly [T in EventType]?: readonly Upcast[] } = {
  AddonRegistered: [
    // Version 1 knew only one kind of add-on, with codes, refresh tokens and RS256.
    (data) => ({
      ...(data as object),
      grantTypes: ['authorization_code', 'refresh_token'],
      postLogoutRedirectUris: [],
      idTokenAlg: 'RS256',
      audiences: [],
    }),
  ],
  // In version 1, each of these three could occur only once in a stream, so its epoch is 1.
  AccountDisabled: [(data) => ({ ...(data as object), epoch: 1 })],
  AccountEnabled: [(data) => ({ ...(data as object), epoch: 1 })],
  ConsentWithdrawn: [(data) => ({ ...(data as object), epoch: 1 })],
  // Older tokens were for all resources of the grant.
  AuthorizationCodeRedeemed: [(data) => ({ ...(data as object), resources: null })],
  TokensRefreshed: [(data) => ({ ...(data as object), resources: null })],
  // Before users could withdraw the consent for their own data, it had no epoch.
  ScopesApproved: [(data) => ({ ...(data as object), epoch: (data as { epoch: number | null }).epoch ?? 0 })],
  AuthorizationCodeIssued: [
    (data) => {
      const { subject } = data as { subject: { kind: string } };
      return { ...(data as object), subject: subject.kind === 'user' ? { ...subject, epoch: 0 } : subject };
    },
  ],
};
