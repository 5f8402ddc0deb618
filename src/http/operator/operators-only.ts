import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type {
  OperatorTokenHolder,
  OperatorTokenRefusal,
} from '../../commands/people/tokens/read-operator-token.ts';
import { bearerText, realm, sendChallenge } from '../base/bearer.ts';
import type { OperatorApiDependencies } from './dependencies.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { admitting, type Handler } from '../base/routes.ts';
import { contextOf } from '../requests/trace.ts';
import { isOperator } from '../session/roles.ts';

type Act = (
  request: FastifyRequest,
  reply: FastifyReply,
  /** Names the operator and the token in the events. */
  context: CommandContext,
) => Promise<FastifyReply>;

export const tokenProblems = {
  'token-unknown': 'administrator-token-unknown',
  'token-expired': 'administrator-token-expired',
  'token-revoked': 'administrator-token-revoked',
  'account-disabled': 'administrator-token-revoked',
  'token-for-one-organization': 'administrator-token-for-another-organization',
} as const satisfies Record<OperatorTokenRefusal, ProblemKind>;

type HolderActs = (
  request: FastifyRequest,
  reply: FastifyReply,
  context: CommandContext,
  holder: OperatorTokenHolder,
) => FastifyReply | Promise<FastifyReply>;

type Reading = {
  readonly commands: OperatorApiDependencies['commands'];
  readonly browser: Pick<OperatorApiDependencies['browser'], 'config'>;
};

/** Only administrator tokens for all organizations pass; a browser's session does not, so no other site can use it. */
export const makeHoldersOnly = (
  { commands, browser: { config } }: Reading,
  mayAct: (holder: OperatorTokenHolder) => boolean = () => true,
) => {
  const holderOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const refuse = (problem: ProblemKind, challenge: string) =>
      sendChallenge(reply, config.baseUrl, { ok: false, problem, challenge });
    const token = bearerText(request.headers);
    if (token === undefined) return refuse('sign-in-required', realm);
    const read = await commands.readOperatorToken(token ?? '');
    if (!read.ok) return refuse(tokenProblems[read.refusal], `${realm}, error="invalid_token"`);
    return mayAct(read.value)
      ? { caller: read.value }
      : refuse('not-an-operator', `${realm}, error="insufficient_scope"`);
  };
  return (act: HolderActs): Handler =>
    admitting(holderOf, (holder, request, reply) => {
      const { userId: actor, tokenId } = holder;
      return act(request, reply, { ...contextOf(request), acting: { actor, tokenId } }, holder);
    });
};

export const makeOperatorsOnly = (dependencies: Reading): ((act: Act) => Handler) =>
  makeHoldersOnly(dependencies, isOperator);
