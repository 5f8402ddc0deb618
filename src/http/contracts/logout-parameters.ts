import { z } from 'zod';
import { address, ulid } from './fields.ts';

/** All parameters that `/oauth/logout` knows (OpenID Connect RP-Initiated Logout 1.0 §2). */
export const logoutParameters = z
  .object({
    id_token_hint: z
      .string()
      .optional()
      .describe('An id_token of the user to sign out: with it, the user is not asked. It may have expired.'),
    client_id: ulid().optional().describe('The add-on’s; needed when there is no id_token.'),
    post_logout_redirect_uri: address()
      .optional()
      .describe('Where the browser goes afterwards: a registered address.'),
    state: z.string().optional().describe('Comes back unmodified.'),
    logout_hint: z.string().optional().describe('Accepted and ignored.'),
    ui_locales: z.string().optional().describe('Languages of the page, the preferred first.'),
  })
  .describe('Asks for a sign-out.');
