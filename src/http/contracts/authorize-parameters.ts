import { z } from 'zod';
import { prompts } from '../../domain/access/prompt.ts';
import { address, scopeList, ulid } from './fields.ts';

/** 43 to 128 unreserved characters (RFC 7636 §4.1). */
const proofKey = () => z.string().meta({ pattern: '^[A-Za-z0-9\\-._~]{43,128}$' });

const ignored = (what: string) => z.string().optional().describe(`${what}. Accepted and ignored.`);
const passedOn = (what: string) =>
  z
    .string()
    .optional()
    .describe(`${what}. Passed on to the user’s sign-in provider, if any; our own pages ignore it.`);
const refused = (what: string) =>
  z.string().optional().describe(`${what}. Not supported: the request is refused when it is sent.`);

export const authorizeParameters = z.object({
  client_id: ulid().describe('The add-on’s, from its registration.'),
  redirect_uri: address().describe('Must equal a registered one exactly.'),
  response_type: z.literal('code'),
  state: z.string().meta({
    minLength: 1,
    description: 'Returned unmodified. Make it unguessable and check it, to prevent code injection.',
    examples: ['af0ifjsldkj'],
  }),
  code_challenge: proofKey().describe(
    'The SHA-256 of the code verifier in base64url without padding (RFC 7636 §4.2).',
  ),
  code_challenge_method: z.literal('S256'),
  scope: scopeList()
    .optional()
    .describe('What the add-on asks for; without it, all that it is registered for except `openid`.'),
  prompt: z
    .string()
    .optional()
    .meta({
      pattern: `^(${prompts.join('|')}| )*$`,
      description:
        '`none`: show no page, answer with an error where one would be needed. `login`: sign in again. `consent`: ask for approval again. `select_account`: ask which account to use. Several may be sent with a space between.',
      examples: ['login consent'],
    }),
  organization: z
    .string()
    .optional()
    .meta({
      pattern: '^([0-7][0-9A-HJKMNP-TV-Z]{25}|external:.+)$',
      description:
        'Only this organization’s records: its id, or `external:` and the id by which the platform knows it. A user who may not decide for it, or for whom the add-on is not active, cannot allow it: `access_denied`.',
      examples: ['01JD3F8Q5T0C4V7W9XYZ1A2B3C', 'external:harbour-club'],
    }),
  subject: z
    .enum(['organization', 'user'])
    .optional()
    .describe(
      'Whose records: only those of an organization, or only the user’s own. With `organization` it can be only `organization`.',
    ),
  response_mode: z.literal('query').optional(),
  max_age: z
    .string()
    .optional()
    .meta({ pattern: '^\\d+$', description: 'Maximum age of the sign-in, in seconds.' }),
  nonce: z.string().optional().describe('Comes back in the id_token.'),
  id_token_hint: z.string().optional().describe('An id_token of this server: only its user may answer.'),
  resource: z
    .array(address())
    .max(10)
    .optional()
    .describe(
      'What the tokens are for (RFC 8707); may come several times. Our own API by default; an operator has to allow any other.',
    ),
  login_hint: z
    .string()
    .optional()
    .describe('The e-mail address of the expected user; prefills the sign-in form.'),
  display: ignored('How the pages should look'),
  ui_locales: z
    .string()
    .optional()
    .describe('Languages of the pages, the preferred first. Passed on to the user’s sign-in provider, too.'),
  acr_values: passedOn('How the user should sign in'),
  claims: ignored('Single claims'),
  claims_locales: ignored('Languages of claims'),
  request: refused('A signed request object'),
  request_uri: refused('The address of a request object'),
  registration: refused('Client metadata for dynamic registration'),
});
