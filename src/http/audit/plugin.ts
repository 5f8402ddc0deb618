import type { FastifyPluginCallback } from 'fastify';
import { apiAndPages } from '../base/scopes.ts';
import { registerAuditApi } from './audit-api.ts';
import { registerAuditPages } from './audit-pages.ts';
import type { AuditDependencies } from './dependencies.ts';

export const audit = (dependencies: AuditDependencies): FastifyPluginCallback =>
  apiAndPages(
    dependencies.browser,
    (app) => registerAuditApi(app, dependencies),
    (place) => registerAuditPages(place, dependencies),
  );
