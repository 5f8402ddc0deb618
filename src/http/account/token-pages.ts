import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Commands } from '../../commands/commands.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { tokenDays, tokensADay, tokensAllowed } from '../../domain/people/administrator-token.ts';
import type { Words } from '../../common/words.ts';
import { type Browser, telling, type Visitor } from '../base/browser.ts';
import { whyNot } from '../words/why-not.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, pathId } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, pageView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { AccountDependencies } from './dependencies.ts';
import { readTokenRows } from './token-rows.ts';
import { newTokenPage, type TokenFormProblem, tokenMadePage, revokeTokenPage } from './views/tokens.ts';

const fields = ['name', 'organization', 'days'] as const;
type Filled = Readonly<Record<(typeof fields)[number], string>>;

/** `/account/tokens`: an administrator creates and revokes tokens for programs. */
export const registerTokenPages = (app: FastifyInstance, dependencies: AccountDependencies): void => {
  const { browser, commands, readModels } = dependencies;
  const { base } = browser;
  const signedIn = makeSignedIn(browser, () => '/account');

  const show = async (
    reply: FastifyReply,
    session: Visitor,
    filled: Partial<Filled>,
    problem: TokenFormProblem | null,
  ) => {
    const organizations = await readModels.organizationsAdministeredBy(session.userId);
    if (organizations.length === 0) return nothingToAdminister(browser, reply, session);
    const html = newTokenPage({
      ...formView(browser, session),
      organizations,
      name: '',
      organization: '',
      days: String(tokenDays.usual),
      ...filled,
      problem,
    });
    return sendPage(reply, problem ? 400 : 200, html, 'stays-here');
  };

  const ask: Act = (session, _request, reply) => show(reply, session, {}, null);

  const make: Act = async (session, request, reply) => {
    const form = formOf(request);
    const repeated = fields.find((field) => isRepeated(form, field));
    if (repeated !== undefined) return refuseField(browser, reply, repeated);
    const filled: Filled = {
      name: one(form, 'name') ?? '',
      organization: one(form, 'organization') ?? '',
      days: one(form, 'days') ?? '',
    };
    if (filled.organization === '')
      return show(reply, session, filled, {
        field: 'organization',
        message: session.reader.words.tokens.chooseFor,
      });
    if (filled.organization === 'all' && (await administersNothing(session)))
      return nothingToAdminister(browser, reply, session);
    const done = await commands.issueAdministratorToken(
      {
        userId: session.userId,
        organizationId: filled.organization === 'all' ? null : filled.organization,
        name: filled.name,
        days: daysOf(filled.days),
        by: session.userId,
      },
      contextOf(request),
    );
    if (!done.ok) return show(reply, session, filled, problemOf(done, session.reader.words));
    const { name, expiresAt, token } = done.value;
    const html = tokenMadePage({
      ...pageView(browser, session),
      name,
      expiresAt: new Date(expiresAt).toISOString(),
      token,
    });
    return sendPage(reply, 200, html, 'stays-here', true);
  };

  const administersNothing = async ({ userId }: Visitor) =>
    (await readModels.organizationsAdministeredBy(userId)).length === 0;

  const confirm: Act = async (session, request, reply) => {
    const { rows } = await readTokenRows(dependencies, session);
    const token = rows.find(({ tokenId }) => tokenId === pathId(request, 'token_id'));
    if (!token) return nothingToRevoke(browser, reply);
    const html = revokeTokenPage({
      ...formView(browser, session),
      token,
    });
    return sendPage(reply, 200, html, 'stays-here');
  };

  const revoke: Act = async (session, request, reply) => {
    const { userId } = session;
    const tokenId = pathId(request, 'token_id');
    const done = await commands.revokeAdministratorToken({ userId, tokenId, by: userId }, contextOf(request));
    if (!done.ok) return nothingToRevoke(browser, reply);
    return reply.redirect(`${base}/account?revoked=${tokenId}`, 303);
  };

  const refuse = methodNotAllowedPage(browser);
  pagePath(app, '/account/tokens/new', { GET: signedIn(ask), POST: signedIn(make) }, refuse);
  pagePath(
    app,
    '/account/tokens/{token_id}/revoke',
    { GET: signedIn(confirm), POST: signedIn(revoke) },
    refuse,
  );
};

/** NaN for anything but digits: the command checks the limits. */
const daysOf = (text: string): number => (/^\d{1,4}$/.test(text) ? Number(text) : Number.NaN);

const nothingToAdminister = ({ message }: Browser, reply: FastifyReply, { email }: Visitor) =>
  message(reply, 403, ({ tokens, frame }) => ({
    title: tokens.nothingToAdminister,
    message: tokens.nothingToAdministerWhy(markName(email)),
    next: { href: '/account', label: frame.account },
  }));

const nothingToRevoke = telling(404, ({ tokens, frame }) => ({
  title: tokens.nothingToRevoke,
  message: tokens.nothingToRevokeWhy,
  next: { href: '/account', label: frame.account },
}));

type Refused = Extract<Awaited<ReturnType<Commands['issueAdministratorToken']>>, { readonly ok: false }>;

/** Shows one problem at a time, in the order of the fields. */
const problemOf = ({ refusal, problems = [] }: Refused, { tokens, names }: Words): TokenFormProblem => {
  const wrongName = problems.find(({ field }) => field === 'name');
  switch (refusal) {
    case 'invalid':
      return wrongName !== undefined
        ? { field: 'name', message: tokens.badName(names[whyNot(wrongName.message)]) }
        : {
            field: 'days',
            message: tokens.badDays(tokenDays.least, tokenDays.most),
          };
    case 'name-taken':
      return { field: 'name', message: tokens.nameTaken };
    case 'too-many-tokens':
      return {
        field: 'name',
        message: tokens.tooMany(tokensAllowed),
      };
    case 'too-many-tokens-today':
      return {
        field: 'name',
        message: tokens.tooManyToday(tokensADay),
      };
    case 'not-an-administrator':
      return { field: 'organization', message: tokens.notAdministered };
    case 'user-unknown':
    case 'user-disabled':
      return { field: 'name', message: tokens.cannotNow };
  }
};
