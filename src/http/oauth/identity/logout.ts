import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import type { LogoutDependencies } from './dependencies.ts';
import { afterSignOut, isRegistered } from '../../federation/provider-sign-out.ts';
import { logoutPage } from './views/logout-page.ts';
import { sendPage } from '../../pages/page-answer.ts';
import { formOf, one, only, queryOf, together, type Params } from '../../requests/params.ts';
import { noteWishes, readerOf } from '../../requests/reader-of.ts';
import { pagePath, path } from '../../base/routes.ts';
import type { Interaction } from '../../session/interactions.ts';
import { methodNotAllowedPage } from '../../session/refused-method.ts';
import { contextOf } from '../../requests/trace.ts';
import { redirect } from '../authorize/authorization-answers.ts';
import { destinationOf } from '../authorize/authorization-pages.ts';
import { identityPaths } from './identity-paths.ts';
import { addressOf, checkSignOut, type SignOutRequest } from './sign-out-request.ts';

/**
 * `/oauth/logout` (OIDC RP-Initiated Logout 1.0); grants stay (RT-17). Only the signed-in user's id_token ends the session at once;
 * others see a page, as do strangers, so that no site can tell them apart.
 */
export const registerLogout = (app: FastifyInstance, dependencies: LogoutDependencies): void => {
  const { browser, commands } = dependencies;
  const { base, cookies, interactions } = browser;
  const refuse = methodNotAllowedPage(browser);

  const logout = async (http: FastifyRequest, reply: FastifyReply) => {
    const params = together(queryOf(http), formOf(http));
    const uiLocales = one(params, 'ui_locales');
    if (uiLocales !== undefined) noteWishes(http, { uiLocales });
    const request = await read(dependencies, params);
    if (http.method !== 'POST' || cookies.session(http) !== '') return proceed(http, reply, request, null);
    // A form from another site arrives without our Lax cookie; the browser sends the cookie with the following GET.
    const pending = { kind: 'sign-out', request, sessionId: null } as const;
    const signed = interactions.sign(interactions.begin(http, reply, pending));
    return redirect(reply, `${base}/oauth/logout/continue?interaction=${signed}`);
  };

  const resume = async (http: FastifyRequest, reply: FastifyReply) => {
    const opened = interactions.verify(http, only(queryOf(http), 'interaction'));
    if (typeof opened === 'string') return browser.refuseInteraction(reply, opened);
    if (opened.pending.kind !== 'sign-out') return browser.refuseInteraction(reply, 'malformed');
    const { request } = opened.pending;
    const { addonId, returnTo } = request;
    const isThere = returnTo && addonId ? await isRegistered(dependencies, { addonId, ...returnTo }) : false;
    return proceed(http, reply, isThere ? request : { ...request, returnTo: null }, opened);
  };

  const proceed = async (
    http: FastifyRequest,
    reply: FastifyReply,
    request: SignOutRequest,
    opened: Interaction | null,
  ) => {
    const session = await browser.session(http);
    if (!session) return showNobody(reply, request);
    if (request.problem !== null || request.hintedUserId !== session.userId)
      return ask(http, reply, request, session, opened);
    return end(reply, request, session);
  };

  const ask = (
    http: FastifyRequest,
    reply: FastifyReply,
    request: SignOutRequest,
    session: Session,
    opened: Interaction | null,
  ) => {
    const pending = { kind: 'sign-out', request, sessionId: session.sessionId } as const;
    const interaction = opened ?? interactions.begin(http, reply, pending);
    const html = logoutPage({
      ...viewOf(reply, request),
      signedIn: session.name,
      interaction: interactions.sign({ ...interaction, pending }),
    });
    return sendPage(reply, request.problem === null ? 200 : 400, html, 'leads-out');
  };

  const showNobody = (reply: FastifyReply, request: SignOutRequest) => {
    const html = logoutPage({ ...viewOf(reply, request), signedIn: null, interaction: null });
    return sendPage(reply, request.problem === null ? 200 : 400, html, 'leads-out');
  };

  const viewOf = (reply: FastifyReply, { addonName, problem, returnTo }: SignOutRequest) => ({
    ...browser.frame,
    reader: readerOf(browser, reply.request),
    addonName,
    problem,
    back: returnTo && { href: addressOf(returnTo), destination: destinationOf(returnTo.uri) },
  });

  /**
   * Handles the page's form: only for the session and the browser that were asked. It may be sent twice by a double
   * click: the second one has nothing left to end.
   */
  const confirm = async (http: FastifyRequest, reply: FastifyReply) => {
    const opened = interactions.verify(http, only(formOf(http), 'interaction'));
    if (typeof opened === 'string') return browser.refuseInteraction(reply, opened);
    const { pending } = opened;
    if (pending.kind !== 'sign-out' || pending.sessionId === null)
      return browser.refuseInteraction(reply, 'malformed');
    const session = await browser.session(http);
    if (session && session.sessionId !== pending.sessionId)
      return browser.refuseInteraction(reply, 'session-ended');
    return end(reply, pending.request, session);
  };

  const end = async (reply: FastifyReply, { addonId, returnTo }: SignOutRequest, session: Session | null) => {
    if (session) await commands.signOut(session.sessionId, contextOf(reply.request));
    cookies.clearSession(reply);
    const next = returnTo && addonId ? { addonId, ...returnTo } : { path: '/sign-out' };
    return redirect(reply, await afterSignOut(dependencies, reply, session, next));
  };

  path(app, identityPaths, '/oauth/logout', { GET: logout, POST: logout }, refuse, { head: false });
  pagePath(app, '/oauth/logout/continue', { GET: resume }, refuse, { head: false });
  pagePath(app, '/oauth/logout/confirm', { POST: confirm }, refuse);
};

/** `logout_hint` is ignored: the pages name the signed-in user. */
const read = async (
  { browser: { config }, commands, idTokens }: LogoutDependencies,
  params: Params,
): Promise<SignOutRequest> => {
  const sent = one(params, 'id_token_hint');
  const hint = sent === undefined ? undefined : await idTokens.read(sent, config.issuer);
  const clientId = one(params, 'client_id') ?? hint?.addonId ?? '';
  const addon = isUlid(clientId) ? await commands.findAddon(clientId) : null;
  return checkSignOut({ params, hint, addon });
};
