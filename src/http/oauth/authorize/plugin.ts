import type { FastifyPluginCallback } from 'fastify';
import { pages } from '../../base/scopes.ts';
import { registerAuthorize } from './authorize.ts';
import type { AuthorizeDependencies } from './dependencies.ts';

export const authorize = (dependencies: AuthorizeDependencies): FastifyPluginCallback =>
  pages(dependencies.browser, (place) => registerAuthorize(place, dependencies));
