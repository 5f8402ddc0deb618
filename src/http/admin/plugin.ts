import type { FastifyPluginCallback } from 'fastify';
import { acceptOptionalJson } from '../answers/scope-handlers.ts';
import { pages, scope } from '../base/scopes.ts';
import { registerActivationApi } from './activation-api.ts';
import { registerAdminPages } from './admin-pages.ts';
import type { AdminDependencies } from './dependencies.ts';

/** What administrators of organizations see and change: an API, and pages. */
export const admin = (dependencies: AdminDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptOptionalJson(app);
    registerActivationApi(app, dependencies);
    void app.register(pages(dependencies.browser, (place) => registerAdminPages(place, dependencies)));
  });
