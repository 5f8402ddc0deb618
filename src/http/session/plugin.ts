import type { FastifyPluginCallback } from 'fastify';
import { pages } from '../base/scopes.ts';
import type { SessionDependencies } from './dependencies.ts';
import { registerHome } from './home.ts';
import { registerSignIn } from './sign-in.ts';
import { registerSignOut } from './sign-out.ts';

export const session = (dependencies: SessionDependencies): FastifyPluginCallback =>
  pages(dependencies.browser, (place) => {
    registerHome(place, dependencies);
    registerSignIn(place, dependencies);
    registerSignOut(place, dependencies);
  });
