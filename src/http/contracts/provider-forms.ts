import { z } from 'zod';

export const backchannelLogoutForm = z
  .object({ logout_token: z.string().describe('A signed logout token of the provider.') })
  .describe('What a provider sends when a user has signed out there.');
