import type { FastifyPluginCallback } from 'fastify';
import { apiAndPages } from '../base/scopes.ts';
import { registerActivationApi } from './activation-api.ts';
import { registerAdminPages } from './admin-pages.ts';
import type { AdminDependencies } from './dependencies.ts';
import { registerTimelineApi } from './timeline-api.ts';

export const admin = (dependencies: AdminDependencies): FastifyPluginCallback =>
  apiAndPages(
    dependencies.browser,
    (app) => {
      registerActivationApi(app, dependencies);
      registerTimelineApi(app, dependencies);
    },
    (place) => registerAdminPages(place, dependencies),
  );
