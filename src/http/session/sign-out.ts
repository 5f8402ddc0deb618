import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Browser } from '../browser.ts';
import type { Session } from '../../commands/read-session.ts';
import { sendPage } from '../pages/page-answer.ts';
import { signOutPage } from '../pages/sign-out-page.ts';
import { formOf, isRepeated, one } from '../params.ts';
import { path } from '../routes.ts';
import { contextOf } from '../trace.ts';
import { afterSignOut } from '../federation/provider-sign-out.ts';
import { sessionPaths } from './session-paths.ts';
import { isOwnPath } from './sign-in.ts';
import { methodNotAllowedPage } from './refused-method.ts';

/** The CSRF token in the forms of a session. */
export const csrfOf = ({ signer }: Browser, { sessionId }: Session): string => signer.proofOf(sessionId);

/** Whether a form was made for this session, by us. */
export const isOwnForm = ({ signer }: Browser, { sessionId }: Session, request: FastifyRequest): boolean =>
  !isRepeated(formOf(request), 'csrf') && signer.isProofOf(sessionId, one(formOf(request), 'csrf') ?? '');

export const refuseForm = (
  { message }: Browser,
  reply: FastifyReply,
  field = 'csrf',
): Promise<FastifyReply> =>
  message(reply, 403, {
    title: 'Please try again',
    message: `The form was not made for this session: its field "${field}" is missing, repeated or wrong.`,
    next: { href: '/admin', label: 'Your organizations' },
  });

/**
 * `/sign-out` asks first, so that a link on another site cannot sign the user out. Grants stay valid (RT-17). A form
 * with `return_to` leads to the sign-in page, where another user signs in and then goes to that address.
 */
export const registerSignOut = (app: FastifyInstance, browser: Browser): void => {
  const { base, commands, cookies } = browser;

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await browser.session(request);
    if (!session) return signedOut(browser, reply);
    const html = signOutPage({ base, csrf: csrfOf(browser, session), signedIn: session.name });
    return sendPage(reply, 200, html, session.upstream ? 'leads-out' : 'stays-here');
  };

  const signOut = async (request: FastifyRequest, reply: FastifyReply) => {
    const session = await browser.session(request);
    if (session && !isOwnForm(browser, session, request)) return refuseForm(browser, reply);
    if (isRepeated(formOf(request), 'return_to')) return refuseForm(browser, reply, 'return_to');
    if (session) await commands.signOut(session.sessionId, contextOf(request));
    cookies.clearSession(reply);
    const returnTo = one(formOf(request), 'return_to') ?? '';
    const next = isOwnPath(returnTo) ? `/sign-in?return_to=${encodeURIComponent(returnTo)}` : '/sign-out';
    return reply.redirect(await afterSignOut(browser, session, base + next), 303);
  };

  path(app, sessionPaths, '/sign-out', { GET: show, POST: signOut }, methodNotAllowedPage(browser));
};

const signedOut = ({ message }: Browser, reply: FastifyReply): Promise<FastifyReply> =>
  message(reply, 200, {
    title: 'You are signed out',
    message: 'Add-ons that you allowed keep working.',
    next: { href: '/sign-in', label: 'Sign in' },
  });
