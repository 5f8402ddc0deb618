import type { FastifyPluginCallback } from 'fastify';
import { apiAndPages } from '../base/scopes.ts';
import type { PublisherDependencies } from './dependencies.ts';
import { registerPublisherPages } from './publisher-pages.ts';
import { registerPublisherApi } from './publisher-api.ts';

export const publisher = (dependencies: PublisherDependencies): FastifyPluginCallback =>
  apiAndPages(
    dependencies.browser,
    (app) => registerPublisherApi(app, dependencies),
    (place) => registerPublisherPages(place, dependencies),
  );
