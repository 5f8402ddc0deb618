import { z } from 'zod';
import { address, scopeList, signalScopeList, ulid } from './fields.ts';

/** Client credentials in the form, where the client does not use HTTP Basic (RFC 6749 §2.3.1). */
const client = {
  client_id: ulid().optional().describe('The add-on’s. May be left out when HTTP Basic names it.'),
  client_secret: z
    .string()
    .optional()
    .describe('Of a confidential add-on that does not use HTTP Basic; never in the query.'),
};

const resource = z
  .array(z.string())
  .optional()
  .describe(
    'The resources for this access token (RFC 8707): a subset of those requested at `/oauth/authorize`. May be repeated.',
  );

export const exchangeForm = z
  .object({
    grant_type: z.literal('authorization_code'),
    code: z.string().meta({ description: 'The code from the redirect.', examples: ['mkt_code_…'] }),
    redirect_uri: address().describe('The same as at `/oauth/authorize`.'),
    code_verifier: z.string().meta({
      pattern: '^[A-Za-z0-9\\-._~]{43,128}$',
      description: 'The value from which `code_challenge` was computed.',
    }),
    resource,
    ...client,
  })
  .describe('A code for tokens. It works once.');

export const refreshForm = z
  .object({
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string().meta({ description: 'The newest refresh token.', examples: ['mkt_rt_…'] }),
    scope: scopeList().optional().describe('A subset of the granted scopes, for this access token only.'),
    resource,
    ...client,
  })
  .describe('A refresh token for a new pair of tokens.');

export const clientCredentialsForm = z
  .object({
    grant_type: z.literal('client_credentials'),
    scope: signalScopeList()
      .optional()
      .describe('A subset of `ssf.read` and `ssf.manage`; both if it is absent or empty.'),
    resource: z.array(z.string()).optional().describe('This API’s address, or nothing (RFC 8707).'),
    ...client,
  })
  .describe('A confidential add-on’s own token, for Shared Signals.');

export const tokenForm = z.union([exchangeForm, refreshForm, clientCredentialsForm]);

/** For userinfo, where the token may be in the form instead of the header (RFC 6750 §2.2). */
export const userInfoForm = z
  .object({ access_token: z.string().optional() })
  .describe('The access token, when it is not in the header.');

export const presentedTokenForm = z
  .object({
    token: z.string().describe('An access token or refresh token.'),
    token_type_hint: z
      .string()
      .optional()
      .describe('Accepted, but ignored: the token itself tells its type.'),
    ...client,
  })
  .describe('A token, and who presents it.');
