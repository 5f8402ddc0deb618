import { z } from 'zod';
import { address } from './fields.ts';

export const parameterError = z
  .object({
    parameter: z.string().meta({ description: 'Its name.', examples: ['per_page'] }),
    code: z.enum([
      'unknown',
      'repeated',
      'empty',
      'not-an-integer',
      'out-of-range',
      'malformed',
      'forged',
      'foreign',
    ]),
    allowed: z
      .string()
      .meta({ description: 'The accepted values.', examples: ['a whole number from 1 to 100'] }),
  })
  .readonly()
  .describe('What is wrong with one input.');

export type ParameterError = z.infer<typeof parameterError>;

export const problem = z
  .object({
    type: z.string().meta({
      format: 'uri-reference',
      description:
        'Which problem it is, and the address of its page at this installation. Its last part, as `token-expired`, is stable and the same everywhere: compare that.',
      examples: ['/problems/token-expired'],
    }),
    title: z.string().describe('The same in words, for people. May change.'),
    status: z.int().min(400).max(599).describe('The status of the answer.'),
    detail: z.string().optional(),
    errors: z
      .array(parameterError)
      .readonly()
      .optional()
      .describe('Every wrong input at once; only of `invalid-parameters`.'),
    'violated-policies': z
      .array(z.string())
      .readonly()
      .optional()
      .describe(
        'Which policies of `RateLimit-Policy` the request would have exceeded; only of `too-many-requests`.',
      ),
    code: z
      .string()
      .optional()
      .describe(
        'Which refusal it is, as the command line names it; only of `change-refused`, and with `Prefer: outcome`.',
      ),
    candidates: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          email: z.string().nullable().optional().describe('Of a person.'),
          email_verified: z.boolean().optional(),
        }),
      )
      .readonly()
      .optional()
      .describe('What the name may mean; only of `name-ambiguous`.'),
    current: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What it is now; only of `changed-meanwhile`, where the `revision` in the body is another.'),
    _links: z
      .array(z.object({ rel: z.literal('first'), type: z.literal('GET'), href: address() }))
      .readonly()
      .optional()
      .describe('Where to start again; only of `sync-token-expired`.'),
    instance: z.string().meta({
      format: 'uri',
      description:
        'Identifies this answer: the trace (from your `traceparent` if you sent one) and the request. Include it in support requests.',
      examples: ['urn:trace:4bf92f3577b34da6a3ce929d0e0e4736:5f0c2a1e00000038'],
    }),
  })
  .describe('Problem details (RFC 9457).');

export type Problem = z.infer<typeof problem>;
