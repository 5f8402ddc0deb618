import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { OperatorTokenRefusal } from '../../commands/people/tokens/read-operator-token.ts';
import { bearerText, realm, sendChallenge } from '../base/bearer.ts';
import type { OperatorDependencies } from './dependencies.ts';
import type { ProblemKind } from '../answers/problems.ts';
import type { Handler } from '../base/routes.ts';
import { contextOf } from '../requests/trace.ts';
import { isOperator } from './is-operator.ts';

type Act = (
  request: FastifyRequest,
  reply: FastifyReply,
  /** Names the operator and the token in the events. */
  context: CommandContext,
) => Promise<FastifyReply>;

/** For a refused token of a person. */
export const tokenProblems = {
  'token-unknown': 'administrator-token-unknown',
  'token-expired': 'administrator-token-expired',
  'token-revoked': 'administrator-token-revoked',
  'account-disabled': 'administrator-token-revoked',
  'token-for-one-organization': 'administrator-token-for-another-organization',
} as const satisfies Record<OperatorTokenRefusal, ProblemKind>;

/** Only operators' administrator tokens for all organizations pass; a browser's session does not, so no other site can use it. */
export const makeOperatorsOnly =
  ({ commands, browser: { config } }: OperatorDependencies) =>
  (act: Act): Handler =>
  async (request, reply) => {
    const refuse = (problem: ProblemKind, challenge: string) =>
      sendChallenge(request, reply, config.baseUrl, { ok: false, problem, challenge });
    const token = bearerText(request.headers);
    if (token === undefined) return refuse('sign-in-required', realm);
    const read = await commands.readOperatorToken(token ?? '');
    if (!read.ok) return refuse(tokenProblems[read.refusal], `${realm}, error="invalid_token"`);
    const { userId, tokenId } = read.value;
    if (!isOperator(read.value)) return refuse('not-an-operator', `${realm}, error="insufficient_scope"`);
    return act(request, reply, { ...contextOf(request), acting: { actor: userId, tokenId } });
  };
