/** A client as `oidc-provider` wants it registered. */
export type PeerClient = {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly application_type: 'web' | 'native';
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: 'none' | 'client_secret_basic';
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly scope: string;
};
