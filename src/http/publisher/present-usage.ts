import type { z } from 'zod';
import type { Usage } from '../../projections/usage-counts/read-usage.ts';
import { problemKinds } from '../answers/problems.ts';
import type { addonUsage } from '../contracts/publisher.ts';

export const presentUsage = (baseUrl: string, { since, days }: Usage): z.infer<typeof addonUsage> => ({
  counted_since: new Date(since).toISOString(),
  days: days.map(({ day, tokens, requests, refusals, limits }) => ({
    day: new Date(day).toISOString().slice(0, 10),
    tokens,
    requests,
    refusals: refusals.map(({ endpoint, reason, count, lastAt, lastRequestId }) => ({
      endpoint,
      reason,
      count,
      last_at: new Date(lastAt).toISOString(),
      last_request_id: lastRequestId,
      explanation: reason in problemKinds ? `${baseUrl}/problems/${reason}` : null,
    })),
    limits,
  })),
});
