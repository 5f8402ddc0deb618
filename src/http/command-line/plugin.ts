import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { readInput } from '../../tasks/fields.ts';
import type { OperatorTokenHolder } from '../../commands/people/tokens/read-operator-token.ts';
import { sendJson } from '../answers/send-json.ts';
import { methodNotAllowed, sendProblem } from '../answers/send-problem.ts';
import { path, type Handler } from '../base/routes.ts';
import { apiAndPages } from '../base/scopes.ts';
import { neverCompressed } from '../compression/compress-answers.ts';
import { commandLineCodeForm, type CommandLineToken, type OperatorToken } from '../contracts/command-line.ts';
import type { ParameterError } from '../contracts/problem.ts';
import { makeHoldersOnly } from '../operator/operators-only.ts';
import { contextOf } from '../requests/trace.ts';
import { registerAllowPage, makeIsMember } from './allow-page.ts';
import { commandLinePaths } from './command-line-paths.ts';
import type { CommandLineDependencies } from './dependencies.ts';

/** What `grantbook login --server` needs: a page that allows the command line, and the token of an operator or auditor. */
export const commandLine = (dependencies: CommandLineDependencies): FastifyPluginCallback =>
  apiAndPages(
    dependencies.browser,
    (app) => registerTokenApi(app, dependencies),
    (place) => registerAllowPage(place, dependencies),
  );

const registerTokenApi = (app: FastifyInstance, dependencies: CommandLineDependencies): void => {
  const { browser, commands, version } = dependencies;
  const isMember = makeIsMember(dependencies);
  const { baseUrl } = browser.config;
  const holdersOnly = makeHoldersOnly(dependencies);

  const present = async ({
    userId,
    name,
    roles,
    expiresAt,
  }: OperatorTokenHolder): Promise<OperatorToken> => ({
    user_id: userId,
    name,
    roles: (await isMember(userId)) ? [...roles, 'publisher'] : roles,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    version,
  });

  const show = holdersOnly(async (_request, reply, _context, holder) =>
    sendJson<OperatorToken>(reply, await present(holder)),
  );

  const end = holdersOnly(async (_request, reply, context, holder) => {
    const { userId, tokenId } = holder;
    await commands.revokeAdministratorToken({ userId, tokenId: tokenId ?? '', by: userId }, context);
    return sendJson<OperatorToken>(reply, await present(holder));
  });

  const exchange: Handler = async (request, reply) => {
    const read = readInput(commandLineCodeForm, request.body ?? {});
    if (!read.ok)
      return sendProblem(reply, baseUrl, 'invalid-parameters', {
        errors: read.problems.map(({ field, code, allowed }): ParameterError => ({
          parameter: field,
          code,
          allowed,
        })),
      });
    const {
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    } = commandLineCodeForm.parse(read.value);
    const done = await commands.exchangeCommandLineCode(
      { code, redirectUri, codeVerifier, isMember },
      contextOf(request),
    );
    if (!done.ok)
      return sendProblem(reply, baseUrl, 'change-refused', {
        code: done.refusal,
        detail: refusals[done.refusal],
      });
    const { token, expiresAt, issuedAt } = done.value;
    return sendJson<CommandLineToken>(
      reply,
      { access_token: token, token_type: 'Bearer', expires_in: Math.floor((expiresAt - issuedAt) / 1000) },
      { 'cache-control': neverCompressed },
    );
  };

  const refuse = methodNotAllowed(baseUrl);
  path(app, commandLinePaths, '/operator/api/token', { GET: show, POST: exchange, DELETE: end }, refuse);
};

const refusals = {
  'code-invalid': 'The code is unknown, expired, or of another sign-in: run grantbook login again',
  'code-used': 'The code was used before, so its token has ended: run grantbook login again',
  'not-an-operator': 'The account is neither an operator nor an auditor',
  'token-refused':
    'No token can be made for the account now: it has the maximum number of tokens, or had it within a day. Revoke some at /account',
};
