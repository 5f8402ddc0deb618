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
};
