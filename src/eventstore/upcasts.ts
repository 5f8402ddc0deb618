import type { EventType } from '../domain/events.ts';

/** Turns the data of one version into the data of the next. Total, and without side effects. */
export type Upcast = (data: unknown) => unknown;

/**
 * Per event type, the steps from each version to the next: the first turns version 1 into 2. A type without steps is
 * at version 1. Whoever changes a schema adds a step here and a fixture of the new version; old events stay as they are.
 */
export const upcasts: { readonly [T in EventType]?: readonly Upcast[] } = {
  AddonRegistered: [
    // Version 1 knew one kind of add-on: it used codes and refresh tokens, and RS256.
    (data) => ({
      ...(data as object),
      grantTypes: ['authorization_code', 'refresh_token'],
      postLogoutRedirectUris: [],
      idTokenAlg: 'RS256',
      audiences: [],
    }),
  ],
  // No command wrote the first versions of these three: whatever is in a log is one disabling, one withdrawal.
  AccountDisabled: [(data) => ({ ...(data as object), epoch: 1 })],
  AccountEnabled: [(data) => ({ ...(data as object), epoch: 1 })],
  ConsentWithdrawn: [(data) => ({ ...(data as object), epoch: 1 })],
  // Tokens were for all of the grant's resources.
  AuthorizationCodeRedeemed: [(data) => ({ ...(data as object), resources: null })],
  TokensRefreshed: [(data) => ({ ...(data as object), resources: null })],
  // A user's own data had no epoch as long as nobody could withdraw the consent to it.
  ScopesApproved: [(data) => ({ ...(data as object), epoch: (data as { epoch: number | null }).epoch ?? 0 })],
  AuthorizationCodeIssued: [
    (data) => {
      const { subject } = data as { subject: { kind: string } };
      return { ...(data as object), subject: subject.kind === 'user' ? { ...subject, epoch: 0 } : subject };
    },
  ],
};
