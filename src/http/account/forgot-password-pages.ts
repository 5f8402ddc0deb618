import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, one, only } from '../requests/params.ts';
import { readerOf } from '../requests/reader-of.ts';
import { contextOf } from '../requests/trace.ts';
import { attemptOrigin } from '../session/origin-of.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { refusePasswords } from '../session/sign-in.ts';
import type { AccountDependencies } from './dependencies.ts';
import { forgotPasswordPage } from './views/passwords.ts';

/** `/forgot-password`: a link to choose another password, by mail (PG-07). The answer is the same for every address. */
export const registerForgotPasswordPages = (
  app: FastifyInstance,
  { browser, commands, federation, mailLink }: AccountDependencies,
): void => {
  const { interactions } = browser;

  const form = (
    request: FastifyRequest,
    reply: FastifyReply,
    status = 200,
    problem: string | null = null,
  ) => {
    const interaction = interactions.begin(request, reply, { kind: 'sign-in', returnTo: '/' });
    const view = {
      ...browser.frame,
      reader: readerOf(browser, request),
      interaction: interactions.sign(interaction),
      email: one(formOf(request), 'email')?.slice(0, 254) ?? '',
      problem,
    };
    return sendPage(reply, status, forgotPasswordPage(view), 'stays-here');
  };

  const whomToAsk = (reply: FastifyReply) =>
    browser.message(reply, 200, ({ forgot }) => ({
      title: forgot.title,
      message: forgot.ask,
      next: { href: '/sign-in', label: forgot.back },
    }));

  const show = (request: FastifyRequest, reply: FastifyReply) => {
    if (!federation.local) return refusePasswords(browser, reply);
    return mailLink ? form(request, reply) : whomToAsk(reply);
  };

  const ask = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!federation.local) return refusePasswords(browser, reply);
    if (!mailLink) return whomToAsk(reply);
    const sent = formOf(request);
    const { words } = readerOf(browser, request);
    const interaction = interactions.verify(request, only(sent, 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    const email = only(sent, 'email') ?? '';
    const asked = await commands.requestPasswordLink(
      {
        email,
        from: attemptOrigin(browser, request),
        deliver: ({ language, ...link }) =>
          mailLink({ ...link, kind: 'forgot', language: language ?? words.tag }),
      },
      contextOf(request),
    );
    if (asked.ok)
      return browser.message(reply, 200, ({ forgot }) => ({
        title: forgot.sentTitle,
        message: `${forgot.sent(email)} ${forgot.sentNot}`,
        next: { href: '/sign-in', label: forgot.back },
      }));
    if (asked.refusal === 'passwords-off') return refusePasswords(browser, reply);
    if (asked.refusal === 'invalid') return form(request, reply, 400, words.forgot.malformed);
    const { retryAfter = 60 } = asked;
    return form(
      request,
      reply.header('retry-after', String(retryAfter)),
      429,
      words.signIn.tooMany(retryAfter),
    );
  };

  pagePath(app, '/forgot-password', { GET: show, POST: ask }, methodNotAllowedPage(browser));
};
