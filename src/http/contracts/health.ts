import { z } from 'zod';

export const liveness = z.object({ status: z.literal('live') });

export const readiness = z.object({
  status: z
    .enum(['ready', 'degraded', 'not-ready'])
    .describe(
      '`degraded` is ready: something that no request needs, as Kafka or what auditors ask, does not work; `checks` says what.',
    ),
  checks: z.record(z.string(), z.string()).describe('One short word or sentence per part of the service.'),
});

export type Liveness = z.infer<typeof liveness>;
export type Readiness = z.infer<typeof readiness>;
