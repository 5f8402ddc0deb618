import { idTokenAlgs } from '../../../domain/addons/events.ts';
import { signalScopes } from '../../../domain/access/events.ts';
import { prompts } from '../../../domain/access/prompt.ts';
import { recordResources } from '../../../domain/records/record-resources.ts';
import { scopes } from '../../../domain/access/scope.ts';
import { languages } from '../../words/languages.ts';
import type { Metadata, ProtectedResource } from '../../contracts/discovery.ts';
import type { HttpConfig } from '../../base/dependencies.ts';
import { offeredGrantTypes } from '../token/token-checks.ts';

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'];

/** RFC 8414 §2 and OpenID Connect Discovery §3 in one document: it lists only what is implemented (MD-06). */
export const metadataOf = ({ issuer, baseUrl }: Pick<HttpConfig, 'issuer' | 'baseUrl'>): Metadata => ({
  issuer,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  end_session_endpoint: `${baseUrl}/oauth/logout`,
  jwks_uri: `${baseUrl}/oauth/jwks`,
  scopes_supported: [...scopes, ...signalScopes],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: offeredGrantTypes,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  introspection_endpoint_auth_methods_supported: authMethods.filter((method) => method !== 'none'),
  authorization_response_iss_parameter_supported: true,
  prompt_values_supported: prompts,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: idTokenAlgs,
  ui_locales_supported: languages.map(({ tag }) => tag),
  claims_supported: [
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'at_hash',
    'acr',
    'amr',
    'name',
    'updated_at',
    'email',
    'email_verified',
    'organization_id',
    'organization_name',
    'external_id',
  ],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});

/** The lists as a protected resource (RFC 9728 §2): `resource` names them in authorization requests, too (RFC 8707). */
export const protectedResourceOf = ({
  issuer,
  baseUrl,
}: Pick<HttpConfig, 'issuer' | 'baseUrl'>): ProtectedResource => ({
  resource: baseUrl,
  authorization_servers: [issuer],
  scopes_supported: recordResources.map(({ scope }) => scope),
  bearer_methods_supported: ['header'],
  resource_documentation: `${baseUrl}/docs`,
});

/** Where a challenge says it is: below our own address, so that every proxy leads there. */
export const protectedResourceUrl = (baseUrl: string): string =>
  `${baseUrl}/.well-known/oauth-protected-resource`;
