import type { FastifyPluginCallback } from 'fastify';
import { acceptForms } from '../../answers/scope-handlers.ts';
import { pages, scope } from '../../base/scopes.ts';
import { announcePolicies } from '../../limits/rate-limits.ts';
import type { DiscoveryDependencies, LogoutDependencies, UserInfoDependencies } from './dependencies.ts';
import { registerJwks } from './jwks.ts';
import { registerLogout } from './logout.ts';
import { registerMetadata } from './register-metadata.ts';
import { registerUserInfo } from './userinfo.ts';

/** Metadata and keys. */
export const discovery = (dependencies: DiscoveryDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerMetadata(app, dependencies);
    registerJwks(app, dependencies);
  });

/** The user of an access token. */
export const userInfo = (dependencies: UserInfoDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptForms(app);
    announcePolicies(app, dependencies.rateLimits.resources);
    registerUserInfo(app, dependencies);
  });

/** Sign-out that an add-on asks for. */
export const logout = (dependencies: LogoutDependencies): FastifyPluginCallback =>
  pages(dependencies.browser, (place) => registerLogout(place, dependencies));
