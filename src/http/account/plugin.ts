import type { FastifyPluginCallback, FastifyInstance } from 'fastify';
import { telling } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { pages } from '../base/scopes.ts';
import { pathId } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import { registerAccountPages } from './account-pages.ts';
import type { AccountDependencies } from './dependencies.ts';
import { registerForgotPasswordPages } from './forgot-password-pages.ts';
import { registerPasskeyPages } from './passkey-pages.ts';
import { registerPasswordPages } from './password-pages.ts';
import { registerPreferencesPages } from './preferences-pages.ts';
import { registerTokenPages } from './token-pages.ts';

export const account = (dependencies: AccountDependencies): FastifyPluginCallback =>
  pages(dependencies.browser, (place) => {
    registerAccountPages(place, dependencies);
    registerSessionPages(place, dependencies);
    registerPasswordPages(place, dependencies);
    registerForgotPasswordPages(place, dependencies);
    registerPasskeyPages(place, dependencies);
    registerTokenPages(place, dependencies);
    registerPreferencesPages(place, dependencies);
  });

/** `/account/sessions`: a user ends one or all other sessions. Both apply on every instance once the call has returned. */
const registerSessionPages = (app: FastifyInstance, dependencies: AccountDependencies): void => {
  const { browser, commands } = dependencies;
  const { base } = browser;
  const signedIn = makeSignedIn(browser, () => '/account');

  const endOne: Act = async ({ userId }, request, reply) => {
    const sessionId = pathId(request, 'session_id');
    const done = await commands.endSession({ userId, sessionId, by: userId }, contextOf(request));
    if (!done.ok) return nothingToEnd(browser, reply);
    return reply.redirect(`${base}/account?ended=${sessionId}`, 303);
  };

  const endOthers: Act = async ({ userId, sessionId }, request, reply) => {
    await commands.endSessions({ userId, exceptSession: sessionId, by: userId }, contextOf(request));
    return reply.redirect(`${base}/account?ended=others`, 303);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/account/sessions/{session_id}/end', { POST: signedIn(endOne) }, refuse);
  pagePath(app, '/account/sessions/end-others', { POST: signedIn(endOthers) }, refuse);
};

const nothingToEnd = telling(404, ({ sessions, frame }) => ({
  title: sessions.nothingToEnd,
  message: sessions.nothingToEndWhy,
  next: { href: '/account', label: frame.account },
}));
