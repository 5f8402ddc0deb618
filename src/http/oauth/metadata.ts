import type { FastifyInstance } from 'fastify';
import { prompts } from '../../domain/prompt.ts';
import { scopes } from '../../domain/scope.ts';
import type { HttpNeeds } from '../needs.ts';
import { sendProblem } from '../problems.ts';
import { path } from '../routes.ts';

/** Authorization server metadata (RFC 8414): only what exists is named (MD-06). */
export const registerMetadata = (app: FastifyInstance, { config }: HttpNeeds): void => {
  const metadata = () => ({
    issuer: config.issuer,
    authorization_endpoint: `${config.baseUrl}/oauth/authorize`,
    token_endpoint: `${config.baseUrl}/oauth/token`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: prompts,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  });
  path(
    app,
    '/.well-known/oauth-authorization-server',
    {
      GET: (_request, reply) =>
        reply
          .headers({
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'public, max-age=300',
            'access-control-allow-origin': '*',
          })
          .send(JSON.stringify(metadata())),
    },
    (request, reply) => sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};
