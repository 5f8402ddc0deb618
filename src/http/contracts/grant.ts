import { z } from 'zod';
import { scopes } from '../../domain/access/scope.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import { address, instant, ulid } from './fields.ts';

export const grantOfToken = z
  .object({
    grant_id: ulid().describe('The id of the grant: its tokens end together.'),
    client_id: ulid(),
    subject: z
      .object({
        type: z.enum(['organization', 'user']),
        id: ulid(),
        name: z.string().optional().describe('A user’s only with the scope `profile`.'),
        external_id: z
          .string()
          .optional()
          .describe('The id by which the platform knows the organization; absent without one.'),
      })
      .describe('Whose records the token opens: an organization’s, or a user’s own.'),
    scopes: z.array(z.enum(scopes as [string, ...string[]])),
    resources: z.array(z.string()).min(1).describe('What the token may be used at (RFC 8707).'),
    issued_at: instant(),
    expires_at: instant(),
    links: z
      .object(
        eachRecord('path', ({ words }) =>
          address().optional().describe(`The list of ${words.many}, if the scopes open it.`),
        ),
      )
      .describe('The lists that the scopes open.'),
  })
  .describe('What an access token is for.');

export type GrantOfToken = z.infer<typeof grantOfToken>;
