import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../commands/sign-in/read-session.ts';
import { type Browser, telling, type Visitor } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { afterSignOut } from '../federation/provider-sign-out.ts';
import { sendPage } from '../pages/page-answer.ts';
import type { FormView, PageView } from '../pages/render.ts';
import { formOf, isRepeated, one, only } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import type { SessionDependencies } from './dependencies.ts';
import { makeFormToken, readFormToken } from './form-token.ts';
import type { InteractionRefusal } from './interactions.ts';
import { methodNotAllowedPage } from './refused-method.ts';
import { isOwnPath } from './sign-in.ts';
import { signOutPage } from './views/session-pages.ts';
import { readerOf } from '../requests/reader-of.ts';

const csrfOf = ({ signer, now }: Browser, { sessionId }: Session): string =>
  makeFormToken(signer, sessionId, now());

/** What a page of a signed-in user shows. */
export const pageView = (
  { frame }: Pick<Browser, 'frame'>,
  { name, areas = [], area, reader }: Visitor,
): PageView => ({
  ...frame,
  signedIn: name,
  reader,
  areas,
  ...(area && { area }),
});

/** The same with what a form sends of the session. */
export const formView = (browser: Browser, session: Visitor): FormView => ({
  ...pageView(browser, session),
  csrf: csrfOf(browser, session),
});

/** Null when a form was made for this session, by us, and can still be sent. */
const whyRefused = (
  { signer, now }: Browser,
  { sessionId }: Session,
  request: FastifyRequest,
): InteractionRefusal | null => {
  const token = readFormToken(signer, only(formOf(request), 'csrf') ?? '');
  if (!token) return 'malformed';
  if (!token.isOf(sessionId)) return 'session-ended';
  return token.expiresAt <= now() ? 'expired' : null;
};

/** Whether a form was made for this session, by us; otherwise the answer is sent. `backTo`: the form's page, under `base`. */
export const acceptForm = async (
  browser: Browser,
  session: Session,
  reply: FastifyReply,
  backTo: string,
): Promise<boolean> => {
  const why = whyRefused(browser, session, reply.request);
  if (why) {
    const { openAgain } = readerOf(browser, reply.request).words.frame;
    await browser.refuseInteraction(reply, why, 403, { href: backTo, label: openAgain });
  }
  return why === null;
};

export const refuseField = (
  { message }: Browser,
  reply: FastifyReply,
  field: string,
  /** In characters, where that is limited. */
  longest?: number,
): Promise<FastifyReply> =>
  message(reply, 403, ({ errors }) => ({
    title: errors.tryAgain,
    message: errors.repeatedField(field, longest ?? null),
  }));

/**
 * `/sign-out` asks first, so that a link on another site cannot sign the user out. Grants stay valid (RT-17). A form
 * with `return_to` leads to the sign-in page, where another user signs in and then goes to that address.
 */
export const registerSignOut = (app: FastifyInstance, dependencies: SessionDependencies): void => {
  const { browser, commands } = dependencies;
  const { cookies, interactions } = browser;

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await browser.session(request);
    if (!session) return signedOut(browser, reply);
    const html = signOutPage({ ...formView(browser, session), reader: readerOf(browser, request) });
    return sendPage(reply, 200, html, session.upstream ? 'leads-out' : 'stays-here');
  };

  const signOut = async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await browser.session(request);
    if (session && !(await acceptForm(browser, session, reply, '/sign-out'))) return reply;
    if (isRepeated(formOf(request), 'return_to')) return refuseField(browser, reply, 'return_to');
    if (session) await commands.signOut(session.sessionId, contextOf(request));
    // A form of another site brings no cookie, and must not take the session away.
    if (cookies.session(request) !== '') cookies.clearSession(reply);
    const form = readFormToken(browser.signer, one(formOf(request), 'csrf') ?? '');
    if (session && form) interactions.remember(request, reply, form.id);
    const returnTo = one(formOf(request), 'return_to') ?? '';
    const next = isOwnPath(returnTo) ? `/sign-in?return_to=${encodeURIComponent(returnTo)}` : '/sign-out';
    return reply.redirect(await afterSignOut(dependencies, reply, session, { path: next }), 303);
  };

  pagePath(app, '/sign-out', { GET: show, POST: signOut }, methodNotAllowedPage(browser));
};

const signedOut = telling(200, ({ signOut, frame }) => ({
  title: signOut.done,
  message: frame.addonsKeepWorking,
  next: { href: '/sign-in', label: frame.signIn },
}));
