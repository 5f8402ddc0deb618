import type { Usage } from '../../projections/usage-counts/read-usage.ts';
import { problemKinds } from '../answers/problems.ts';
import { refusalAddress } from '../docs/refusal-explanations.ts';
import type { AddonUsage } from '../../administration/publishing/answers.ts';

export const presentUsage = (baseUrl: string, { since, days }: Usage): AddonUsage => ({
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
      explanation: explanationOf(baseUrl, endpoint, reason),
    })),
    limits,
  })),
});

/** A list answers with problems, the endpoints of OAuth with the codes of RFC 6749. */
const explanationOf = (baseUrl: string, endpoint: string, reason: string): string | null => {
  const ofOAuth = ['token', 'authorize', 'revoke', 'introspect'].includes(endpoint);
  if (!ofOAuth && reason in problemKinds) return `${baseUrl}/problems/${reason}`;
  return refusalAddress(baseUrl, reason);
};
