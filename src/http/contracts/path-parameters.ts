import { z } from 'zod';
import { ulid } from './fields.ts';

export const pathParameters = z.object({
  organization_id: ulid().describe('The organization’s id.'),
  client_id: ulid().describe('The add-on’s id.'),
  user_id: ulid().describe('The account’s id.'),
  publisher_id: ulid().describe('The publisher’s id.'),
  change_id: ulid().describe('The change’s id.'),
  grant_id: ulid().describe('The grant’s id.'),
  secret_id: ulid().describe('The client secret’s id.'),
  token_id: ulid().describe('The administrator token’s id.'),
  stream_id: z.string().describe('The signal stream’s id.'),
  provider: z.string().describe('The sign-in provider’s id in the settings.'),
  kind: z.string().meta({ description: 'A problem’s name.', examples: ['token-expired'] }),
});
