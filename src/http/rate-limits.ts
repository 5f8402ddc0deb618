import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter, Standing } from '../limits/rate-limiter.ts';
import type { Policy } from '../limits/counters.ts';
import type { AccessTokenClaims } from '../commands/access-token.ts';
import type { HttpDependencies } from './dependencies.ts';
import { sendProblem } from './send-problem.ts';

/**
 * Says on every answer of a place by which policies it limits, also where nobody is told apart yet (401, 405, 413). In the
 * syntax of draft-ietf-httpapi-ratelimit-headers-11: lists of strings with parameters (RFC 9651).
 */
export const announcePolicies = (place: FastifyInstance, { policies }: RateLimiter): void => {
  if (policies.length === 0) return; // an empty list would be no field at all
  const field = policies.map(policyItem).join(', ');
  place.addHook('onRequest', (_request, reply, done) => {
    reply.header('ratelimit-policy', field);
    done();
  });
};

const policyItem = ({ name, quota, window }: Policy): string => `"${name}";q=${quota};w=${window}`;

const standingItem = ({ policy, remaining, seconds }: Standing): string =>
  `"${policy}";r=${remaining};t=${seconds}`;

/** For scripts of other sites, which read no header that is not named here. */
export const exposedLimits = 'RateLimit, RateLimit-Policy, Retry-After';

/** What is left: only to whoever has shown whose quota it is. Nothing when no limit is switched on. */
export const tellStandings = (reply: FastifyReply, standings: readonly Standing[]): FastifyReply =>
  standings.length === 0 ? reply : reply.header('ratelimit', standings.map(standingItem).join(', '));

export type AdmitBearer = (
  request: FastifyRequest,
  reply: FastifyReply,
  claims: AccessTokenClaims,
) => Promise<boolean>;

/**
 * Counts a request of a token that is ours and has not expired, before anything is read for it: a token that turns out to be
 * dead, or to lack the scope, has cost a read and counts, too.
 * @returns false when it was one too many; the answer is sent then
 */
export const makeAdmitBearer =
  ({ rateLimits: { resources }, config }: Pick<HttpDependencies, 'rateLimits' | 'config'>): AdmitBearer =>
  async (request, reply, claims) => {
    const admission = await resources.admit(keysOf(claims));
    tellStandings(reply, admission.standings);
    if (admission.admitted) return true;
    const policies = admission.standings.map(({ policy }) => policy);
    reply.header('retry-after', String(admission.retryAfter));
    sendProblem(request, reply, config.baseUrl, 'too-many-requests', {
      detail: `More requests than the policy ${policies.join(' and the policy ')} allows.`,
      'violated-policies': policies,
    });
    return false;
  };

/** Without the epoch: whoever activates an add-on anew does not get a new quota. */
const keysOf = ({ subject, addonId }: AccessTokenClaims) => ({
  activation: `${addonId} ${subject.kind === 'organization' ? subject.organizationId : subject.userId}`,
  addon: addonId,
});
