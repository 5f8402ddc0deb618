import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { grantTypes, idTokenAlgs } from '../../domain/addon.ts';
import { prompts } from '../../domain/prompt.ts';
import { scopes } from '../../domain/scope.ts';
import type { Metadata } from '../contracts/discovery.ts';
import type { HttpConfig, HttpDependencies } from '../dependencies.ts';
import { sendProblem } from '../send-problem.ts';
import { path } from '../routes.ts';

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'];

/** RFC 8414 §2 and OpenID Connect Discovery §3 in one: only what exists is named (MD-06). */
export const metadataOf = ({ issuer, baseUrl }: Pick<HttpConfig, 'issuer' | 'baseUrl'>): Metadata => ({
  issuer,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  userinfo_endpoint: `${baseUrl}/oauth/userinfo`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  end_session_endpoint: `${baseUrl}/oauth/logout`,
  jwks_uri: `${baseUrl}/oauth/jwks`,
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  introspection_endpoint_auth_methods_supported: authMethods.filter((method) => method !== 'none'),
  authorization_response_iss_parameter_supported: true,
  prompt_values_supported: prompts,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: idTokenAlgs,
  claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', 'name', 'email'],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
});

/** Server metadata under both names that clients look for. */
export const registerMetadata = (app: FastifyInstance, { config }: HttpDependencies): void => {
  const metadata = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      })
      .send(JSON.stringify(metadataOf(config)));
  for (const url of metadataPaths(config.issuer))
    path(app, url, { GET: metadata }, (request, reply) =>
      sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
    );
};

/** With a path in the issuer: that of RFC 8414 §3.1 in front of it, that of Discovery §4 behind it (MD-01). */
export const metadataPaths = (issuer: string): readonly string[] => {
  const own = new URL(issuer).pathname.replace(/\/$/, '').replaceAll(':', '::');
  return ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'].flatMap((known) =>
    own === '' ? [known] : [known, known + own, own + known],
  );
};
