import type { FastifyPluginCallback } from 'fastify';
import { pages } from '../base/scopes.ts';
import { registerAccountPages } from './account-pages.ts';
import type { AccountDependencies } from './dependencies.ts';
import { registerPasskeyPages } from './passkey-pages.ts';
import { registerPasswordPages } from './password-pages.ts';
import { registerSessionPages } from './session-pages.ts';
import { registerTokenPages } from './token-pages.ts';

/** What every user sees and changes of the own account. */
export const account = (dependencies: AccountDependencies): FastifyPluginCallback =>
  pages(dependencies.browser, (place) => {
    registerAccountPages(place, dependencies);
    registerSessionPages(place, dependencies);
    registerPasswordPages(place, dependencies);
    registerPasskeyPages(place, dependencies);
    registerTokenPages(place, dependencies);
  });
