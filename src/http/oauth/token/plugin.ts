import type { FastifyPluginCallback, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptForms } from '../../answers/scope-handlers.ts';
import { path } from '../../base/routes.ts';
import { scope } from '../../base/scopes.ts';
import { announcePolicies } from '../../limits/rate-limits.ts';
import { formOf, one } from '../../requests/params.ts';
import { contextOf } from '../../requests/trace.ts';
import { oauthPaths } from '../oauth-paths.ts';
import { readClient } from './client-authentication.ts';
import { answerWithOAuthErrors, onlyPost, refuseClient } from './client-endpoint.ts';
import { makeClientLimit } from './client-limit.ts';
import type { TokenDependencies } from './dependencies.ts';
import { registerIntrospect } from './introspect.ts';
import { readPresentedToken } from './presented-token.ts';
import { noStore, revocationAnswers, sendTokenError } from './token-answers.ts';
import { makeTokenCors } from './token-cors.ts';
import { registerToken } from './token.ts';

/** The endpoints that add-ons call with their credentials, each with a limit of its own. */
export const tokenEndpoints = (dependencies: TokenDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptForms(app);
    answerWithOAuthErrors(app, dependencies);
    const { token, revoke, introspect } = dependencies.rateLimits;
    const endpoints = [
      [token, registerToken],
      [revoke, registerRevoke],
      [introspect, registerIntrospect],
    ] as const;
    for (const [limit, register] of endpoints)
      void app.register(
        scope((place) => {
          announcePolicies(place, limit);
          register(place, dependencies);
        }),
      );
  });

/** `/oauth/revoke` (RFC 7009): an add-on revokes a token. Open to public add-ons, also from a browser. */
const registerRevoke = (
  app: FastifyInstance,
  { commands, readModels, rateLimits, now }: TokenDependencies,
): void => {
  const cors = makeTokenCors(readModels, now);
  const limit = makeClientLimit(rateLimits.revoke, 'revoke', commands, cors);

  const revoke = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // A caller that holds a token of the add-on can always revoke it, even if others used up the add-on's quota.
    const params = formOf(request);
    const owner = await commands.tokenOwner(one(params, 'token') ?? '');
    const sent = readClient(request.headers.authorization, params);
    if (!(await limit.admit(request, reply, sent, owner))) return reply;
    const presented = await readPresentedToken(commands, request, sent);
    if (!presented.ok) return refuseClient(request, reply, presented.answer);
    const { addon, token } = presented;
    limit.saw(addon);
    const { origin } = request.headers;
    if (origin !== undefined) cors.allow(reply, origin, addon);
    const revoked = await commands.revokeToken({ addonId: addon.addonId, token }, contextOf(request));
    if (!revoked.ok) {
      const { refusal: reason } = revoked;
      return sendTokenError(reply, { ...revocationAnswers[reason], reason });
    }
    return reply.code(200).headers(noStore).send();
  };

  path(app, oauthPaths, '/oauth/revoke', { POST: revoke, OPTIONS: cors.preflight }, onlyPost);
};
