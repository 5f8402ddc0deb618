import type { FastifyPluginCallback } from 'fastify';
import { acceptForms } from '../answers/scope-handlers.ts';
import { pages, scope } from '../base/scopes.ts';
import { answerWithOAuthErrors } from '../oauth/token/client-endpoint.ts';
import { registerBackchannelLogout } from './backchannel-logout.ts';
import { registerFederation } from './callback.ts';
import type { FederationDependencies } from './dependencies.ts';
import { registerProviderSignOut } from './provider-sign-out.ts';

export const federation = (dependencies: FederationDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptForms(app);
    answerWithOAuthErrors(app, dependencies.browser);
    registerBackchannelLogout(app, dependencies);
    void app.register(
      pages(dependencies.browser, (place) => {
        registerFederation(place, dependencies);
        registerProviderSignOut(place, dependencies);
      }),
    );
  });
