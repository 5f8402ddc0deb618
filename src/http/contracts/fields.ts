import { z } from 'zod';
import { signalScopes } from '../../domain/access/events.ts';
import { scopes } from '../../domain/access/scope.ts';
import { instant, ulid, uri } from '../../tasks/answer-fields.ts';
import * as ids from '../../domain/kernel/ids.ts';

export { instant, ulid, uri as address };

export const recordId = () => z.string().meta({ pattern: ids.recordId.pattern, examples: ['p1'] });

export const scopeList = () =>
  z.string().meta({
    description: `Scopes between spaces, out of: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`,
    examples: ['profiles:read reservations:read'],
  });

/** The same for the token of an add-on itself. */
export const signalScopeList = () =>
  z.string().meta({
    description: `Scopes between spaces, out of: ${signalScopes.map((scope) => `\`${scope}\``).join(', ')}.`,
    examples: ['ssf.read ssf.manage'],
  });

/** Whose records a token opens (AP-01). */
export const tokenOrganization = () =>
  ulid()
    .optional()
    .describe('The organization whose records it opens; absent where it opens a user’s own records.');

export const organizationNames = () => ({
  organization_name: z.string().optional().describe('With `organization_id`: its name.'),
  external_id: z
    .string()
    .optional()
    .describe('With `organization_id`: the id by which the platform knows it; absent without one.'),
});

/** A whole number of seconds since 1970 (RFC 7519 §2, RFC 7662 §2.2). */
export const seconds = () =>
  z
    .int()
    .min(0)
    .meta({ format: 'int64', examples: [1777622400] });
