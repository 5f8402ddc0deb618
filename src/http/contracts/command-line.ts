import { z } from 'zod';
import { isStorable } from '../../tasks/fields.ts';

export const operatorToken = z
  .object({
    user_id: z.string(),
    name: z.string(),
    roles: z.array(z.enum(['auditor', 'operator', 'publisher'])).readonly(),
    expires_at: z.string().meta({ format: 'date-time' }).nullable(),
    version: z.string().describe('Of the service.'),
  })
  .describe('Whose token it is; `publisher`: of a member of one.');

export type OperatorToken = z.infer<typeof operatorToken>;

export const commandLineToken = z
  .object({
    access_token: z.string().meta({ pattern: '^mkt_admin_[A-Za-z0-9_-]+$' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('In seconds.'),
  })
  .describe('An administrator token of the user.');

export type CommandLineToken = z.infer<typeof commandLineToken>;

const text = (description: string) =>
  z
    .string()
    .max(2048)
    .refine(isStorable)
    .meta({ description, 'x-allowed': 'a text of at most 2048 characters' });

export const commandLineCodeForm = z.object({
  grant_type: z.literal('authorization_code').meta({ 'x-allowed': 'authorization_code' }),
  client_id: z.literal('grantbook-cli').meta({ 'x-allowed': 'grantbook-cli' }),
  code: text('The code that the browser brought back.'),
  redirect_uri: text('The one of the sign-in.'),
  code_verifier: text('Of RFC 7636.'),
});
