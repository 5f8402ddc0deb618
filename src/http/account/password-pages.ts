import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PasswordLinkRefusal } from '../../commands/people/credentials/password-links.ts';
import { type KnownAccount, shownEmail } from '../../domain/people/account.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import type { Words } from '../../common/words.ts';
import { pagePath, type Handler } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, only, queryOf } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { type Interaction, noteLocales } from '../session/interactions.ts';
import { attemptOrigin } from '../session/origin-of.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { busy, refusePasswords } from '../session/sign-in.ts';
import { formView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import { wayOnTo } from '../session/way-on.ts';
import type { AccountDependencies } from './dependencies.ts';
import { keptAs } from './forgot-password-pages.ts';
import { changePasswordPage, type PasswordProblem, choosePasswordPage } from './views/passwords.ts';
import { noteWishes, readerOf } from '../requests/reader-of.ts';

const fields = ['present', 'password', 'again', 'link', 'keep_identities'] as const;
/** In UTF-16 units, for all but a new password: its policy says how long that may be. */
const longest = 1_024;
const isNew = (name: (typeof fields)[number]) => name === 'password' || name === 'again';

/**
 * `/account/password`: a signed-in user changes the password. `/choose-password`: a person chooses one by a link, which
 * a GET does not use up, because scanners of mails open links, too.
 */
export const registerPasswordPages = (app: FastifyInstance, dependencies: AccountDependencies): void => {
  const { browser, commands, federation, kept } = dependencies;
  const { base } = browser;
  const signedIn = makeSignedIn(browser, ({ method }) =>
    method === 'GET' ? '/account/password' : '/account',
  );

  const showChange = async (
    reply: FastifyReply,
    session: Visitor,
    status: number,
    problem: PasswordProblem | null,
  ) => {
    const setAt = await commands.passwordSetAt(session.userId);
    const html = changePasswordPage({
      ...formView(browser, session),
      email: session.address ?? session.name,
      setAt: setAt === null ? null : new Date(setAt).toISOString(),
      problem,
    });
    return sendPage(reply, status, html, 'stays-here');
  };

  const ask: Act = (session, _request, reply) =>
    federation.local ? showChange(reply, session, 200, null) : refusePasswords(browser, reply);

  const change: Act = async (session, request, reply) => {
    const form = formOf(request);
    const wrong = wrongFieldOf(request);
    if (wrong !== undefined) return refuseField(browser, reply, wrong, longest);
    const password = one(form, 'password') ?? '';
    const { passwords: say } = session.reader.words;
    if (password !== one(form, 'again')) return showChange(reply, session, 400, differs(say));
    const changed = await commands.changePassword(
      { session, present: one(form, 'present') ?? '', password, from: attemptOrigin(browser, request) },
      contextOf(request),
    );
    if (changed.ok) return reply.redirect(`${base}/account?password=changed`, 303);
    if (changed.refusal === 'passwords-off') return refusePasswords(browser, reply);
    if (changed.refusal === 'busy') return busy(browser, reply);
    if (changed.refusal === 'invalid')
      return showChange(reply, session, 400, malformed(say, changed.problems));
    if (changed.refusal === 'too-many-attempts')
      return showChange(wait(reply, changed.retryAfter), session, 429, tooMany(say, changed.retryAfter));
    return showChange(reply, session, 401, {
      field: 'present',
      message: say.wrongPresent,
    });
  };

  const showChoice = (
    reply: FastifyReply,
    status: number,
    { link, account }: { readonly link: string; readonly account: KnownAccount },
    problem: PasswordProblem | null,
  ) => {
    const { identities } = account;
    const nameOf = (id: string) => federation.providers.find((known) => known.id === id)?.name ?? id;
    const providers = [...new Set(identities.map(({ provider }) => nameOf(provider)))];
    const reader = readerOf(browser, reply.request);
    const view = {
      ...browser.frame,
      reader,
      link,
      email: shownEmail(account) || account.name,
      providers,
      problem,
    };
    return sendPage(reply, status, choosePasswordPage(view), 'stays-here');
  };

  /** What this browser was about to do when it asked for a link: nothing that comes with the link (FX-61). */
  const waitingIn = async (request: FastifyRequest): Promise<Interaction | null> => {
    const places = browser.cookies.pending(request).map(keptAs);
    const waiting = places.length === 0 ? null : ((await kept.find(places)) as Interaction | null);
    if (waiting) noteLocales(request, waiting.pending);
    return waiting;
  };

  const readLink = async (request: FastifyRequest, link: string) => {
    const found = await commands.readPasswordLink(link);
    if (found.ok) noteWishes(request, { account: found.value.language });
    return found;
  };

  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    const link = only(queryOf(request), 'link') ?? '';
    await waitingIn(request);
    const found = await readLink(request, link);
    return found.ok
      ? showChoice(reply, 200, { link, account: found.value }, null)
      : noLink(browser, reply, found.refusal);
  };

  const choose = async (request: FastifyRequest, reply: FastifyReply) => {
    const form = formOf(request);
    const wrong = wrongFieldOf(request);
    if (wrong !== undefined)
      return browser.message(reply, 400, ({ errors }) => ({
        title: errors.tryAgain,
        message: errors.repeatedField(wrong, longest),
      }));
    const link = one(form, 'link') ?? '';
    const waiting = await waitingIn(request);
    const found = await readLink(request, link);
    if (!found.ok) return noLink(browser, reply, found.refusal);
    const about = { link, account: found.value };
    const password = one(form, 'password') ?? '';
    const { passwords: say } = readerOf(browser, request).words;
    if (password !== one(form, 'again')) return showChoice(reply, 400, about, differs(say));
    const chosen = await commands.choosePassword(
      {
        token: link,
        password,
        keepIdentities: one(form, 'keep_identities') === 'yes',
        from: attemptOrigin(browser, request),
      },
      contextOf(request),
    );
    if (chosen.ok) {
      if (waiting) await kept.take(keptAs(waiting.id));
      return browser.message(reply, 200, ({ frame }) => ({
        title: say.saved,
        message: say.savedHow,
        next: waiting ? wayOnTo(browser, reply, waiting, frame) : { href: '/sign-in', label: frame.signIn },
      }));
    }
    if (chosen.refusal === 'busy') return busy(browser, reply);
    if (chosen.refusal === 'invalid') return showChoice(reply, 400, about, malformed(say, chosen.problems));
    if (chosen.refusal === 'too-many-attempts')
      return showChoice(wait(reply, chosen.retryAfter), 429, about, tooMany(say, chosen.retryAfter));
    return noLink(browser, reply, chosen.refusal);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/account/password', { GET: signedIn(ask), POST: signedIn(change) }, refuse);
  const lead: Handler = (_request, reply) => reply.redirect(`${base}/account/password`, 303);
  pagePath(app, '/.well-known/change-password', { GET: lead }, refuse);
  pagePath(app, '/choose-password', { GET: open, POST: choose }, refuse);
};

const wrongFieldOf = (request: FastifyRequest) =>
  fields.find(
    (name) =>
      isRepeated(formOf(request), name) ||
      (!isNew(name) && (one(formOf(request), name)?.length ?? 0) > longest),
  );

type Say = Words['passwords'];

const differs = ({ differ }: Say): PasswordProblem => ({ field: 'again', message: differ });

const malformed = (
  { badLength, mostUsed }: Say,
  problems: readonly { readonly message: string }[] = [],
): PasswordProblem => ({
  field: 'password',
  message: problems[0]?.message.startsWith('must have') ? badLength : mostUsed,
});

const tooMany = (say: Say, seconds = 1): PasswordProblem => ({
  field: 'password',
  message: say.tooMany(seconds),
});

const wait = (reply: FastifyReply, seconds = 1): FastifyReply => reply.header('retry-after', String(seconds));

const linkMessages = {
  'link-unknown': 'linkUnknown',
  'link-expired': 'linkExpired',
  'link-used': 'linkUsed',
} as const satisfies Record<Exclude<PasswordLinkRefusal, 'passwords-off'>, keyof Say>;

const noLink = (
  browser: Browser,
  reply: FastifyReply,
  refusal: PasswordLinkRefusal,
): Promise<FastifyReply> => {
  if (refusal === 'passwords-off') return refusePasswords(browser, reply);
  return browser.message(reply, 404, ({ passwords }) => ({
    title: passwords.badLink,
    message: passwords[linkMessages[refusal]],
  }));
};
