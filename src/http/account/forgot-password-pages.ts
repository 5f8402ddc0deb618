import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { clientNetwork } from '../requests/client-network.ts';
import { formOf, isRepeated, one, only, queryOf } from '../requests/params.ts';
import { readerOf } from '../requests/reader-of.ts';
import { contextOf } from '../requests/trace.ts';
import { linkValidFor } from '../../domain/people/account.ts';
import { badField } from '../passkeys/passkey-sign-in.ts';
import type { Interaction } from '../session/interactions.ts';
import { attemptOrigin } from '../session/origin-of.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { refusePasswords } from '../session/sign-in.ts';
import { wayBack } from '../session/way-on.ts';
import type { AccountDependencies } from './dependencies.ts';
import { forgotPasswordPage } from './views/passwords.ts';

/** No id in a cookie, such as the `state` of a sign-in with a provider, is the place of something else. */
export const keptAs = (of: string): string => `forgot ${of}`;

/**
 * `/forgot-password`: a link to choose another password, by mail (PG-07). The answer is the same for every address. What the sign-in page
 * was there for is kept for this browser and never in the mail (FX-61).
 */
export const registerForgotPasswordPages = (
  app: FastifyInstance,
  { browser, commands, federation, kept, mailLink }: AccountDependencies,
): void => {
  const { interactions } = browser;

  const form = (
    reply: FastifyReply,
    interaction: Interaction,
    status = 200,
    problem: string | null = null,
  ) => {
    const { request } = reply;
    const view = {
      ...browser.frame,
      reader: readerOf(browser, request),
      interaction: interactions.sign(interaction),
      back: wayBack(browser, interaction),
      email: one(formOf(request), 'email')?.slice(0, 254) ?? '',
      problem,
    };
    return sendPage(reply, status, forgotPasswordPage(view), 'stays-here');
  };

  const whomToAsk = (reply: FastifyReply, interaction: Interaction) =>
    browser.message(reply, 200, ({ forgot }) => ({
      title: forgot.title,
      message: forgot.ask,
      next: { href: wayBack(browser, interaction), label: forgot.back },
    }));

  const show = (request: FastifyRequest, reply: FastifyReply) => {
    if (isRepeated(queryOf(request), 'interaction')) return badField(browser, reply, 'interaction');
    if (!federation.local) return refusePasswords(browser, reply);
    const signed = one(queryOf(request), 'interaction');
    const interaction =
      signed === undefined
        ? interactions.begin(request, reply, { kind: 'sign-in', returnTo: '/' })
        : interactions.verify(request, signed);
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    return mailLink ? form(reply, interaction) : whomToAsk(reply, interaction);
  };

  const ask = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!federation.local) return refusePasswords(browser, reply);
    const sent = formOf(request);
    const interaction = interactions.verify(request, only(sent, 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    if (!mailLink) return whomToAsk(reply, interaction);
    const { words } = readerOf(browser, request);
    const email = only(sent, 'email') ?? '';
    const asked = await commands.requestPasswordLink(
      {
        email,
        from: attemptOrigin(browser, request),
        deliver: ({ language, ...link }) => mailLink({ ...link, language: language ?? words.tag }),
      },
      contextOf(request),
    );
    if (asked.ok) {
      // A place of its own: what is kept for so long pushes out no sign-in with a provider.
      const network = keptAs(clientNetwork(request));
      const until = { expiresAt: browser.now() + linkValidFor, network };
      await kept.keep(keptAs(interaction.id), interaction, until);
      return browser.message(reply, 200, ({ forgot }) => ({
        title: forgot.sentTitle,
        message: `${forgot.sent(email)} ${forgot.sentNot}`,
        next: { href: wayBack(browser, interaction), label: forgot.back },
      }));
    }
    if (asked.refusal === 'passwords-off') return refusePasswords(browser, reply);
    if (asked.refusal === 'invalid') return form(reply, interaction, 400, words.forgot.malformed);
    const { retryAfter = 60 } = asked;
    return form(
      reply.header('retry-after', String(retryAfter)),
      interaction,
      429,
      words.signIn.tooMany(retryAfter),
    );
  };

  pagePath(app, '/forgot-password', { GET: show, POST: ask }, methodNotAllowedPage(browser));
};
