import type { FastifyPluginCallback } from 'fastify';
import { acceptForms } from '../../answers/scope-handlers.ts';
import { scope } from '../../base/scopes.ts';
import { announcePolicies } from '../../limits/rate-limits.ts';
import { answerWithOAuthErrors } from './client-endpoint.ts';
import type { TokenDependencies } from './dependencies.ts';
import { registerIntrospect } from './introspect.ts';
import { registerRevoke } from './revoke.ts';
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
