import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Visitor } from '../base/browser.ts';
import { languages } from '../words/languages.ts';
import { isTimeZone } from '../words/reader.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { AccountDependencies } from './dependencies.ts';
import { byBrowser, preferencesPage } from './views/preferences.ts';

const fields = ['language', 'time_zone'] as const;
type Sent = { readonly language: string; readonly timeZone: string };

/** `/account/language`: in which language and time zone a user reads the pages. */
export const registerPreferencesPages = (app: FastifyInstance, dependencies: AccountDependencies): void => {
  const { browser, commands } = dependencies;
  const signedIn = makeSignedIn(browser, () => '/account/language');

  const show = (
    reply: FastifyReply,
    session: Visitor,
    sent: Sent,
    wrong: (typeof fields)[number] | null,
  ): FastifyReply => {
    const { unknownLanguage, unknownTimeZone } = session.reader.words.preferences;
    const message = wrong === 'language' ? unknownLanguage : unknownTimeZone;
    const problem = wrong && { field: wrong, message };
    const html = preferencesPage({ ...formView(browser, session), ...sent, problem });
    return sendPage(reply, wrong === null ? 200 : 400, html, 'stays-here');
  };

  const ask: Act = async (session, _request, reply) => {
    const { language, timeZone } = session;
    return show(reply, session, { language: language ?? '', timeZone: timeZone ?? byBrowser }, null);
  };

  const choose: Act = async (session, request, reply) => {
    const form = formOf(request);
    const repeated = fields.find((field) => isRepeated(form, field));
    if (repeated !== undefined) return refuseField(browser, reply, repeated);
    const sent: Sent = { language: one(form, 'language') ?? '', timeZone: one(form, 'time_zone') ?? '' };
    const isOffered = sent.language === '' || languages.map(({ tag }) => tag).includes(sent.language);
    if (!isOffered) return show(reply, session, sent, 'language');
    const { timeZone: zone } = sent;
    if (zone !== byBrowser && !isTimeZone(zone)) return show(reply, session, sent, 'time_zone');
    const timeZone = zone === byBrowser ? '' : zone;
    const { userId } = session;
    await commands.choosePreferences({ userId, language: sent.language, timeZone }, contextOf(request));
    return reply.redirect(`${browser.base}/account`, 303);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/account/language', { GET: signedIn(ask), POST: signedIn(choose) }, refuse);
};
