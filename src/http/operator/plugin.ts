import type { FastifyPluginCallback } from 'fastify';
import { acceptOptionalJson } from '../answers/scope-handlers.ts';
import { pages, scope } from '../base/scopes.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { registerEntityPages } from './entity-pages.ts';
import { registerOperatorApi } from './operator-api.ts';
import { registerOperatorPage } from './operator-page.ts';

/** What operators see and do: an API, and pages. */
export const operator = (dependencies: OperatorDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptOptionalJson(app);
    registerOperatorApi(app, dependencies);
    void app.register(
      pages(dependencies.browser, (place) => {
        registerOperatorPage(place, dependencies);
        registerEntityPages(place, dependencies);
      }),
    );
  });
