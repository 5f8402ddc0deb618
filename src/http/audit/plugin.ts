import type { FastifyPluginCallback } from 'fastify';
import { acceptOptionalJson } from '../answers/scope-handlers.ts';
import { pages, scope } from '../base/scopes.ts';
import { registerAuditApi } from './audit-api.ts';
import { registerAuditPages } from './audit-pages.ts';
import type { AuditDependencies } from './dependencies.ts';

/** What auditors read: an API, and pages. */
export const audit = (dependencies: AuditDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptOptionalJson(app);
    registerAuditApi(app, dependencies);
    void app.register(pages(dependencies.browser, (place) => registerAuditPages(place, dependencies)));
  });
