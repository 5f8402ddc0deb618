import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  commandLineClient,
  isLoopbackRedirect,
  mayUseCommandLine,
} from '../../domain/people/administrator-token.ts';
import { isCodeChallenge } from '../../domain/access/pkce.ts';
import { appendParameters } from '../answers/append-parameters.ts';
import { pagePath } from '../base/routes.ts';
import { redirect } from '../oauth/authorize/authorization-answers.ts';
import { sendPage } from '../pages/page-answer.ts';
import { formOf, isRepeated, one, only, queryOf, type Params } from '../requests/params.ts';
import { methodNotAllowedPage } from '../session/refused-method.ts';
import { isOwnPath } from '../session/sign-in.ts';
import { formView, refuseField } from '../session/sign-out.ts';
import { makeSignedIn, type Act } from '../session/signed-in.ts';
import type { CommandLineDependencies } from './dependencies.ts';
import { allowPage } from './views/allow-page.ts';
import { publishersOf } from '../../tasks/publishing/facts.ts';

const here = '/account/command-line';

/** An authorization request of the command line (RFC 6749 §4.1.1, RFC 7636). */
type SignInRequest = { readonly redirectUri: string; readonly state: string; readonly codeChallenge: string };

/** `/account/command-line`: an operator, an auditor or a member of a publisher allows the command line to act for them. Nothing is allowed without this form. */
export const registerAllowPage = (app: FastifyInstance, dependencies: CommandLineDependencies): void => {
  const { browser, commands } = dependencies;
  const isMember = makeIsMember(dependencies);
  const { base, config, message } = browser;
  const signedIn = makeSignedIn(browser, backTo);

  const withRequest =
    (act: (asked: SignInRequest) => (...of: Parameters<Act>) => FastifyReply | Promise<FastifyReply>): Act =>
    async (session, request, reply) => {
      const asked = readRequest(queryOf(request));
      if ('problem' in asked)
        return message(reply, 400, ({ impossible, commandLine }) => ({
          title: impossible.badLink,
          message: commandLine.badLinkWhy,
          detail: asked.problem,
        }));
      return act(asked)(session, request, reply);
    };

  const show = withRequest(() => async (session, request, reply) => {
    const isOfPublisher = await isMember(session.userId);
    const mayAllow = mayUseCommandLine(session) || isOfPublisher;
    const html = allowPage({
      ...formView(browser, session),
      action: `${base}${here}?${queryText(queryOf(request))}`,
      email: session.email,
      roles: isOfPublisher ? [...session.roles, 'publisher' as const] : session.roles,
      mayAllow,
    });
    return sendPage(reply, mayAllow ? 200 : 403, html, 'leads-out');
  });

  const decide = withRequest(({ redirectUri, state, codeChallenge }) => async (session, request, reply) => {
    if (isRepeated(formOf(request), 'decision')) return refuseField(browser, reply, 'decision');
    const isAllowed =
      one(formOf(request), 'decision') === 'allow' &&
      (mayUseCommandLine(session) || (await isMember(session.userId)));
    const answer = isAllowed
      ? { code: await commands.allowCommandLine({ userId: session.userId, redirectUri, codeChallenge }) }
      : { error: 'access_denied' };
    // `iss` is the address that the command line was given (RFC 9207).
    return redirect(reply, appendParameters(redirectUri, { ...answer, state, iss: config.baseUrl }));
  });

  pagePath(app, here, { GET: signedIn(show), POST: signedIn(decide) }, methodNotAllowedPage(browser));
};

const backTo = (request: FastifyRequest): string =>
  request.method === 'GET' && isOwnPath(request.url) ? request.url : here;

const queryText = (query: Params): string =>
  new URLSearchParams(
    [...query].flatMap(([name, values]) => values.map((value) => [name, value])),
  ).toString();

/** Strict, as only our own program sends it: each parameter once, and the code to this machine alone. */
const readRequest = (query: Params): SignInRequest | { readonly problem: string } => {
  const redirectUri = only(query, 'redirect_uri') ?? '';
  const state = only(query, 'state') ?? '';
  const codeChallenge = only(query, 'code_challenge') ?? '';
  const wrong = [
    ['client_id', only(query, 'client_id') === commandLineClient],
    ['redirect_uri', isLoopbackRedirect(redirectUri)],
    ['response_type', only(query, 'response_type') === 'code'],
    ['state', /^[A-Za-z0-9_-]{16,128}$/.test(state)],
    ['code_challenge_method', only(query, 'code_challenge_method') === 'S256'],
    ['code_challenge', isCodeChallenge(codeChallenge)],
  ].flatMap(([name, isRight]) => (isRight === true ? [] : [name]));
  return wrong.length > 0
    ? { problem: `${wrong.join(', ')} is missing, repeated or not allowed` }
    : { redirectUri, state, codeChallenge };
};

/** Whether a user belongs to a publisher at this moment. */
export const makeIsMember =
  (dependencies: Pick<CommandLineDependencies, 'commands' | 'readModels'>) =>
  async (userId: string): Promise<boolean> =>
    (await publishersOf(dependencies, { userId, byClaim: true })).length > 0;
