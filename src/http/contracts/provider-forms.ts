import { z } from 'zod';

// What a sign-in provider sends, through the user's browser or by itself.

export const providerReturnQuery = z.object({
  state: z.string().optional().describe('As it was sent to the provider.'),
  code: z.string().optional().describe('The provider’s authorization code.'),
  iss: z.string().optional().describe('The provider’s issuer (RFC 9207).'),
  error: z.string().optional().describe('Why the provider did not sign the user in.'),
});

export const signedOutQuery = z.object({
  state: z.string().optional().describe('As it was sent to the provider.'),
});

export const backchannelLogoutForm = z
  .object({ logout_token: z.string().describe('A signed logout token of the provider.') })
  .describe('What a provider sends when a user has signed out there.');
