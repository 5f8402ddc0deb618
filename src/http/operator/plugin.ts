import type { FastifyPluginCallback } from 'fastify';
import { apiAndPages } from '../base/scopes.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { registerEntityPages } from './entity-pages.ts';
import { registerOperatorApi } from './operator-api.ts';
import { registerOperatorPage } from './operator-page.ts';

/** What operators see and do: an API, and pages. */
export const operator = (dependencies: OperatorDependencies): FastifyPluginCallback =>
  apiAndPages(
    dependencies.browser,
    (app) => registerOperatorApi(app, dependencies),
    (place) => {
      registerOperatorPage(place, dependencies);
      registerEntityPages(place, dependencies);
    },
  );
