import { z } from 'zod';
import { address, organizationNames, tokenOrganization, ulid } from './fields.ts';

const words = () => z.array(z.string()).min(1).readonly();

export const metadata = z
  .object({
    issuer: address().describe('Equals the `iss` of every answer and id_token, octet for octet.'),
    authorization_endpoint: address(),
    token_endpoint: address(),
    userinfo_endpoint: address(),
    end_session_endpoint: address(),
    revocation_endpoint: address(),
    introspection_endpoint: address(),
    jwks_uri: address(),
    scopes_supported: words(),
    response_types_supported: z.array(z.literal('code')).length(1),
    response_modes_supported: words(),
    grant_types_supported: words(),
    code_challenge_methods_supported: z.array(z.literal('S256')).length(1),
    token_endpoint_auth_methods_supported: words(),
    revocation_endpoint_auth_methods_supported: words(),
    introspection_endpoint_auth_methods_supported: words(),
    authorization_response_iss_parameter_supported: z.literal(true),
    prompt_values_supported: words(),
    subject_types_supported: words(),
    id_token_signing_alg_values_supported: words(),
    ui_locales_supported: words().describe('Languages of the pages (BCP 47).'),
    claims_supported: words(),
    claims_parameter_supported: z.literal(false),
    request_parameter_supported: z.literal(false),
    request_uri_parameter_supported: z.literal(false),
  })
  .describe('What this server can do and where (RFC 8414 §2, OpenID Connect Discovery §3).');

export type Metadata = z.infer<typeof metadata>;

export const protectedResource = z
  .object({
    resource: address().describe('What the lists are called in the parameter `resource` (RFC 8707).'),
    authorization_servers: z.array(address()).length(1),
    scopes_supported: words(),
    bearer_methods_supported: words(),
    resource_documentation: address(),
  })
  .describe('Whose tokens open the lists (RFC 9728 §2).');

export type ProtectedResource = z.infer<typeof protectedResource>;

export const jwk = z
  .object({
    kty: z.string(),
    kid: z.string().describe('Named by the header of each id_token that it signs.'),
    use: z.literal('sig'),
    alg: z.string().meta({ examples: ['RS256'] }),
    n: z.string().optional(),
    e: z.string().optional(),
    crv: z.string().optional(),
    x: z.string().optional(),
    y: z.string().optional(),
  })
  .describe('A public key (RFC 7517).');

export const jwks = z.object({ keys: z.array(jwk).readonly() }).describe('The keys to check id_tokens with.');

export type KeySet = z.infer<typeof jwks>;

export const userInfo = z
  .object({
    sub: ulid().describe('The user’s id: the same as in the id_token.'),
    name: z.string().optional().describe('With the scope `profile`.'),
    updated_at: z
      .int()
      .optional()
      .describe(
        'With the scope `profile`: when the name or the address changed last, in seconds since 1970.',
      ),
    email: z
      .string()
      .meta({ format: 'email' })
      .optional()
      .describe('With the scope `email`; absent if the user’s identity provider names none.'),
    email_verified: z
      .boolean()
      .optional()
      .describe('`true` only if an operator or the user’s identity provider vouches for the address.'),
    organization_id: tokenOrganization(),
    ...organizationNames(),
  })
  .describe('Who signed in (OpenID Connect Core §5.3.2).');

export type UserInfo = z.infer<typeof userInfo>;
