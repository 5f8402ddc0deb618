import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, RateLimiter, Standing } from './counters/rate-limiter.ts';
import type { Policy } from './counters/counters.ts';
import type { AccessTokenClaims } from '../../commands/credentials/access-token.ts';
import type { AddonTokenClaims } from '../../commands/credentials/addon-token-text.ts';
import type { RateLimits } from './counters/rate-limits.ts';
import type { Base } from '../base/dependencies.ts';
import { noteLimits } from './refusals.ts';
import { sendProblem } from '../answers/send-problem.ts';

/** Adds the limit policies to every answer of a scope (draft-ietf-httpapi-ratelimit-headers-11; RFC 9651). */
export const announcePolicies = (place: FastifyInstance, { policies }: RateLimiter): void => {
  if (policies.length === 0) return; // an empty list is no valid field
  const field = policies.map(policyItem).join(', ');
  place.addHook('onRequest', (_request, reply, done) => {
    reply.header('ratelimit-policy', field);
    done();
  });
};

const policyItem = ({ name, quota, window }: Policy): string => `"${name}";q=${quota};w=${window}`;

const standingItem = ({ policy, remaining, seconds }: Standing): string =>
  `"${policy}";r=${remaining};t=${seconds}`;

/** For scripts of other sites, which can read only headers named here. */
export const exposedLimits = 'RateLimit, RateLimit-Policy, Retry-After';

/** The rest of the quota, disclosed only to a caller who has proved that it is theirs. Nothing when all limits are off. */
export const tellStandings = (reply: FastifyReply, standings: readonly Standing[]): FastifyReply =>
  standings.length === 0 ? reply : reply.header('ratelimit', standings.map(standingItem).join(', '));

export type AdmitBearer = (
  request: FastifyRequest,
  reply: FastifyReply,
  bearer: { readonly claims?: AccessTokenClaims; readonly own?: Pick<AddonTokenClaims, 'addonId'> },
) => Promise<boolean>;

type Limited = Pick<Base, 'config'> & { readonly rateLimits: Pick<RateLimits, 'resources' | 'signals'> };

/** Counts a request with a token of ours that has not expired, before any read. @returns false above the limit: the answer has been sent */
export const makeAdmitBearer =
  ({ rateLimits: { resources, signals }, config }: Limited): AdmitBearer =>
  async (request, reply, { claims, own }) => {
    if (!claims && !own) return true;
    const admission = claims
      ? await resources.admit(keysOf(claims))
      : await signals.admit({ signals: own?.addonId ?? '' });
    return answerAdmission(request, reply, config.baseUrl, admission);
  };

const answerAdmission = (
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  admission: Admission,
): boolean => {
  tellStandings(reply, admission.standings);
  if (admission.admitted) return true;
  noteLimits(request, admission.standings);
  const policies = admission.standings.map(({ policy }) => policy);
  reply.header('retry-after', String(admission.retryAfter));
  sendProblem(reply, baseUrl, 'too-many-requests', {
    detail: `More requests than the policy ${policies.join(' and the policy ')} allows.`,
    'violated-policies': policies,
  });
  return false;
};

/** Without the epoch: a new activation does not bring a new quota. */
const keysOf = ({ subject, addonId }: AccessTokenClaims) => ({
  activation: `${addonId} ${subject.kind === 'organization' ? subject.organizationId : subject.userId}`,
  addon: addonId,
});
