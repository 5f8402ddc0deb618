import { z } from 'zod';

export const liveness = z.object({
  status: z.literal('live'),
  version: z.string().describe('Of the program.'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/)
    .describe('The commit that was built; zeros if unknown.'),
});

export const readiness = z.object({
  status: z
    .enum(['ready', 'degraded', 'not-ready', 'stopping'])
    .describe(
      '`degraded` is ready: something that no request needs, such as Kafka or audit queries, does not work; see `checks`. `stopping`: it ends after `SHUTDOWN_DELAY`.',
    ),
  checks: z.record(z.string(), z.string()).describe('One short word or sentence per part of the service.'),
});

export type Liveness = z.infer<typeof liveness>;
export type Readiness = z.infer<typeof readiness>;
