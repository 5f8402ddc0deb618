import { z } from 'zod';

export const liveness = z.object({
  status: z.literal('live'),
  version: z.string().describe('Of the program.'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/)
    .describe('That was built; only zeros where the build could not tell.'),
});

export const readiness = z.object({
  status: z
    .enum(['ready', 'degraded', 'not-ready', 'stopping'])
    .describe(
      '`degraded` is ready: something that no request needs, as Kafka or what auditors ask, does not work; `checks` says what. `stopping`: it ends after `SHUTDOWN_DELAY`.',
    ),
  checks: z.record(z.string(), z.string()).describe('One short word or sentence per part of the service.'),
});

export type Liveness = z.infer<typeof liveness>;
export type Readiness = z.infer<typeof readiness>;
