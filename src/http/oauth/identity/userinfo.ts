import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  bearerRefusal,
  invalidRequest,
  openBearer,
  openToken,
  refusedByFence,
  type Bearer,
  sendChallenge,
} from '../../base/bearer.ts';
import type { AccessTokenClaims } from '../../../commands/credentials/access-token.ts';
import type { UserOfGrant } from '../../../projections/read-models.ts';
import type { UserInfo } from '../../contracts/discovery.ts';
import { answerPreflight } from '../../requests/cors.ts';
import type { UserInfoDependencies } from './dependencies.ts';
import { organizationOf } from '../organization-members.ts';
import { formOf, isRepeated, one, queryOf } from '../../requests/params.ts';
import { methodNotAllowed, sendProblem } from '../../answers/send-problem.ts';
import { exposedLimits, makeAdmitBearer } from '../../limits/rate-limits.ts';
import { path } from '../../base/routes.ts';
import { identityPaths, userInfoPreflight } from './identity-paths.ts';
import { noStore } from '../token/token-answers.ts';

/** `/oauth/userinfo`: the signed-in user, for add-ons with the scope `openid` (OpenID Connect Core §5.3). */
export const registerUserInfo = (app: FastifyInstance, dependencies: UserInfoDependencies): void => {
  const { commands, config, readModels, trusted } = dependencies;
  const admit = makeAdmitBearer(dependencies);

  const userInfo = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': `${exposedLimits}, WWW-Authenticate`,
    });
    const bearer = bearerOf(commands, request);
    if (bearer.claims && !trusted()) return sendProblem(reply, config.baseUrl, 'temporarily-unavailable');
    if (!(await admit(request, reply, bearer))) return reply;
    if (!bearer.ok) return sendChallenge(reply, config.baseUrl, await bearerRefusal(bearer, dependencies));
    // Nothing is disclosed about a user whose account is disabled, although an organization's grant stays valid (AC-03).
    const read = await readModels.namesOfGrant({ ...bearer.claims, needsApprover: true });
    if (read.refused !== null) return sendChallenge(reply, config.baseUrl, refusedByFence(read.refused));
    // The account is too new for the read model: an incomplete answer would be mistaken for a complete one.
    if (!read.user) return sendProblem(reply, config.baseUrl, 'temporarily-unavailable');
    return reply.headers({ ...noStore, 'content-type': 'application/json; charset=utf-8' }).send(
      JSON.stringify({
        ...claimsOf(bearer.claims, read.user),
        ...organizationOf(bearer.claims, read.organization),
      } satisfies UserInfo),
    );
  };

  path(
    app,
    identityPaths,
    '/oauth/userinfo',
    { GET: userInfo, POST: userInfo, OPTIONS: answerPreflight(...userInfoPreflight) },
    methodNotAllowed(config.baseUrl),
  );
};

/** What the scopes open (OpenID Connect Core §5.4). */
const claimsOf = (
  { userId, scopes }: AccessTokenClaims,
  { name, email, emailVerified, updatedAt }: UserOfGrant,
) => ({
  sub: userId,
  ...(scopes.includes('profile') && { name, updated_at: Math.floor(updatedAt / 1000) }),
  ...(scopes.includes('email') && email && { email, email_verified: emailVerified }),
});

/** From the header, or from the form of a POST; never from the address, and never from two places (RFC 6750 §2, UI-01). */
const bearerOf = (tokens: UserInfoDependencies['commands'], request: FastifyRequest): Bearer => {
  const form = formOf(request);
  const sent = one(form, 'access_token');
  if (queryOf(request).has('access_token') || isRepeated(form, 'access_token')) return invalidRequest;
  if (sent === undefined) return openBearer(tokens, request, 'openid');
  return request.headers.authorization === undefined ? openToken(tokens, sent, 'openid') : invalidRequest;
};
