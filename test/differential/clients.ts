import type { GrantType } from '../../src/domain/addons/addon.ts';
import type { AllowedScope } from '../../src/domain/access/scope.ts';
import type { HttpApp } from '../support/scenes/http-app.ts';
import type { PeerClient } from './peer-client.ts';

export const webRedirect = 'https://addon.example/cb?x=1';
export const otherWebRedirect = 'https://addon.example/other';
export const appRedirect = 'com.example.app:/cb';

type Definition = {
  readonly redirectUris: readonly string[];
  readonly native: boolean;
  readonly confidential: boolean;
  readonly scopes: readonly AllowedScope[];
  readonly grantTypes: readonly GrantType[];
};

const web: Definition = {
  redirectUris: [webRedirect, otherWebRedirect],
  native: false,
  confidential: false,
  scopes: ['openid', 'profiles:read', 'reservations:read'],
  grantTypes: ['authorization_code', 'refresh_token'],
};

/** The same clients at both servers. */
const definitions = {
  web,
  native: {
    ...web,
    native: true,
    redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb', appRedirect],
  },
  confidential: { ...web, confidential: true },
  /** May not refresh. */
  codeOnly: { ...web, grantTypes: ['authorization_code'] },
  /** May only ask about tokens. */
  resourceServer: { ...web, confidential: true, grantTypes: [] },
  /** Suspended with us; the peer has no such state, so there it is unknown. */
  suspended: web,
} as const satisfies Record<string, Definition>;

export type ClientName = keyof typeof definitions;
export type Client = Definition & { readonly id: string; readonly secret: string };
export type Clients = Readonly<Record<ClientName, Client>>;

/** Registers every client with us; its id and secret are then the peer's too. */
export const registerClients = async ({ commands }: HttpApp): Promise<Clients> => {
  const entries = await Promise.all(
    Object.entries(definitions).map(async ([name, definition]: [string, Definition]) => {
      const registered = await commands.registerAddon({
        name,
        redirectUris: definition.redirectUris,
        configurationUrl: null,
        allowedScopes: definition.scopes,
        confidential: definition.confidential,
        grantTypes: definition.grantTypes,
      });
      if (!registered.ok) throw new Error(JSON.stringify(registered));
      const { clientId, clientSecret } = registered.value;
      const allowed = [{ audience: 'https://api.example/', resourceServerId: null }];
      await commands.updateAddon({ addonId: clientId, addAudiences: allowed });
      return [name, { ...definition, id: clientId, secret: clientSecret ?? '' }] as const;
    }),
  );
  const clients = Object.fromEntries(entries) as Record<ClientName, Client>;
  await commands.suspendAddon(clients.suspended.id);
  return clients;
};

export const peerClients = ({ suspended: _unknown, ...clients }: Clients): readonly PeerClient[] =>
  Object.values(clients).map(({ id, secret, native, confidential, redirectUris, scopes, grantTypes }) => ({
    client_id: id,
    ...(confidential && { client_secret: secret }),
    application_type: native ? 'native' : 'web',
    redirect_uris: redirectUris,
    token_endpoint_auth_method: confidential ? 'client_secret_basic' : 'none',
    grant_types: grantTypes,
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    scope: scopes.join(' '),
  }));
