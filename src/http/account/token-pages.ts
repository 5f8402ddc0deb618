import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Commands } from '../../commands/commands.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import { tokenDays, tokensADay, tokensAllowed } from '../../domain/people/administrator-token.ts';
import { type Browser, telling } from '../base/browser.ts';
import { pagePath } from '../base/routes.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, pathId } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { formView, pageView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { AccountDependencies } from './dependencies.ts';
import { tokenRows } from './token-rows.ts';
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
    session: Session,
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
    if (filled.organization === '') return show(reply, session, filled, chooseOne);
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
    if (!done.ok) return show(reply, session, filled, problemOf(done));
    const { name, expiresAt, token } = done.value;
    const html = tokenMadePage({
      ...pageView(browser, session),
      name,
      expiresAt: new Date(expiresAt).toISOString(),
      token,
    });
    return sendPage(reply, 200, html, 'stays-here', true);
  };

  const administersNothing = async ({ userId }: Session) =>
    (await readModels.organizationsAdministeredBy(userId)).length === 0;

  const confirm: Act = async (session, request, reply) => {
    const [tokens, administered] = await Promise.all([
      commands.listAdministratorTokens(session.userId),
      readModels.organizationsAdministeredBy(session.userId),
    ]);
    const token = tokenRows(tokens, administered, browser.now()).find(
      ({ tokenId }) => tokenId === pathId(request, 'token_id'),
    );
    if (!token) return nothingToRevoke(browser, reply);
    const html = revokeTokenPage({ ...formView(browser, session), token });
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

const nothingToAdminister = ({ message }: Browser, reply: FastifyReply, { email }: Session) =>
  message(reply, 403, {
    title: 'Nothing to administer',
    message: `Tokens are for administrators of organizations. You are signed in as ${markName(email)}.`,
    next: { href: '/account', label: 'Your account' },
  });

const nothingToRevoke = telling(
  404,
  'Nothing to revoke',
  'This token does not exist, or was already revoked.',
  { href: '/account', label: 'Your account' },
);

const chooseOne: TokenFormProblem = {
  field: 'organization',
  message: 'Choose what the token is for.',
};

type Refused = Extract<Awaited<ReturnType<Commands['issueAdministratorToken']>>, { readonly ok: false }>;

/** Shows one problem at a time, in the order of the fields. */
const problemOf = ({ refusal, problems = [] }: Refused): TokenFormProblem => {
  const wrongName = problems.find(({ field }) => field === 'name');
  switch (refusal) {
    case 'invalid':
      return wrongName !== undefined
        ? { field: 'name', message: `Give the token a name. It ${wrongName.message}.` }
        : {
            field: 'days',
            message: `Choose a number of days from ${tokenDays.least} to ${tokenDays.most}.`,
          };
    case 'name-taken':
      return { field: 'name', message: 'You have a token of this name. Choose another, or revoke that one.' };
    case 'too-many-tokens':
      return {
        field: 'name',
        message: `You have ${tokensAllowed} tokens, which is the maximum. Revoke one that is no longer needed.`,
      };
    case 'too-many-tokens-today':
      return {
        field: 'name',
        message: `You have created ${tokensADay} tokens within a day, which is the maximum. Try again tomorrow.`,
      };
    case 'not-an-administrator':
      return { field: 'organization', message: 'You do not administer this organization. Choose another.' };
    case 'user-unknown':
    case 'user-disabled':
      return { field: 'name', message: 'Your account cannot have tokens now.' };
  }
};
