import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '../commands/access-token.ts';
import type { Commands } from '../commands/commands.ts';
import type { FenceRefusal } from '../domain/fence.ts';
import type { Scope } from '../domain/scope.ts';
import type { HttpDependencies } from './dependencies.ts';
import { noteReason } from './refusals.ts';
import type { ProblemKind } from './problems.ts';
import { sendProblem } from './send-problem.ts';

export type Bearer = { readonly ok: true; readonly claims: AccessTokenClaims } | RefusedBearer;

export type RefusedBearer = {
  readonly ok: false;
  readonly problem: ProblemKind;
  /** For logs and metrics, where they may know more than the answer. */
  readonly reason?: FenceRefusal;
  readonly challenge: string;
  /** What is wrong with the request, where it is malformed. */
  readonly detail?: string;
  /** Of a token that only lacks the scope: whether it still lives has to be judged before it is told so. */
  readonly claims?: AccessTokenClaims;
};

/** The challenge to whoever has sent no token (RFC 6750 §3.1). */
export const realm = 'Bearer realm="grantbook"';
const scheme = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Sent in two ways, twice, or in the address (RFC 6750 §2, §3.1). */
export const invalidRequest: Bearer = {
  ok: false,
  problem: 'malformed-request',
  detail: 'An access token is sent once: in the Authorization header, or in the body of a form',
  challenge: `${realm}, error="invalid_request"`,
};

/** RFC 6750 §3.1: without a token the challenge holds no error, so that nobody learns more than the scheme. */
const missing: Bearer = { ok: false, problem: 'token-missing', challenge: realm };

const invalidToken = (problem: ProblemKind): Bearer => ({
  ok: false,
  problem,
  challenge: `${realm}, error="invalid_token"`,
});

type Tokens = Pick<Commands, 'verifyAccessToken' | 'accessTokenHasExpired'>;

/**
 * Reads the token of a request and judges what needs no I/O: MAC, expiry, scope. Whether it still lives is judged in
 * the snapshot of the read that it guards (RS-02). The detailed reason only for tokens that once existed (LI-10).
 */
export const openBearer = (tokens: Tokens, { headers }: FastifyRequest, scope: Scope): Bearer => {
  const token = bearerText(headers);
  if (token === undefined) return missing;
  return token === null ? invalidToken('token-unknown') : openToken(tokens, token, scope);
};

/** What `Authorization: Bearer` brings: undefined without it, null for what is no token by its grammar. */
export const bearerText = ({ authorization }: FastifyRequest['headers']): string | null | undefined => {
  if (authorization === undefined || !/^bearer( |$)/i.test(authorization)) return undefined;
  return scheme.exec(authorization)?.[1] ?? null;
};

/** The same for a token from elsewhere than the header. */
export const openToken = (tokens: Tokens, token: string, scope: Scope): Bearer => {
  const claims = tokens.verifyAccessToken(token);
  if (!claims) return invalidToken(tokens.accessTokenHasExpired(token) ? 'token-expired' : 'token-unknown');
  if (!claims.audience.ownApi) return invalidToken('token-for-another-resource'); // RFC 8707 §2
  if (claims.scopes.includes(scope)) return { ok: true, claims };
  const challenge = `${realm}, error="insufficient_scope", scope="${scope}"`;
  return { ok: false, problem: 'insufficient-scope', challenge, claims };
};

/**
 * What a refused bearer is told. A token that is dead and lacks the scope is dead first: 401 and why (LI-10, RS-01).
 * Costs a read of the fence in that case only.
 */
export const bearerRefusal = async (
  bearer: RefusedBearer,
  readModels: Pick<HttpDependencies['readModels'], 'judge'>,
): Promise<RefusedBearer> => {
  if (!bearer.claims) return bearer;
  const refusal = await readModels.judge(bearer.claims);
  return refusal ? refusedByFence(refusal) : bearer;
};

const fenceProblems = {
  'addon-deactivated': 'addon-deactivated',
  'addon-suspended': 'addon-suspended',
  'token-revoked': 'token-revoked',
  'account-disabled': 'token-revoked',
  'consent-withdrawn': 'token-revoked',
  'on-hold': 'access-on-hold',
} as const satisfies Record<FenceRefusal, ProblemKind>;

/** The answer to a token that the fence has closed. */
export const refusedByFence = (refusal: FenceRefusal): RefusedBearer => ({
  ok: false,
  problem: fenceProblems[refusal],
  reason: refusal,
  challenge: `${realm}, error="invalid_token"`,
});

/** Answers a refused bearer: why, and the challenge that goes with it (RFC 6750 §3). */
export const sendChallenge = (
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
  { problem, challenge, detail, reason }: RefusedBearer,
): FastifyReply => {
  if (reason) noteReason(request, reason);
  return sendProblem(
    request,
    reply.header('www-authenticate', challenge),
    baseUrl,
    problem,
    detail === undefined ? {} : { detail },
  );
};
