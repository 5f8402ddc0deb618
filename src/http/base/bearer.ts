import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '../../commands/credentials/access-token.ts';
import type { AddonTokenClaims } from '../../commands/credentials/addon-token-text.ts';
import type { Commands } from '../../commands/commands.ts';
import type { FenceRefusal } from '../../domain/fence/fence.ts';
import type { SignalScope } from '../../domain/access/addon-token.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import { noteReason } from '../limits/refusals.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { sendProblem } from '../answers/send-problem.ts';

export type Bearer = { readonly ok: true; readonly claims: AccessTokenClaims } | RefusedBearer;

export type RefusedBearer = {
  readonly ok: false;
  readonly problem: ProblemKind;
  /** The exact reason, for logs and metrics only. */
  readonly reason?: FenceRefusal;
  readonly challenge: string;
  readonly detail?: string;
  /** Present if the token only lacks the scope: whether it is still valid must be checked before that is disclosed to the caller. */
  readonly claims?: AccessTokenClaims;
  /** The same for a token that the add-on took for itself, which opens none of what grants open. */
  readonly own?: AddonTokenClaims;
  /** Whose token it is, where only that is known: for logs, and for who looks after the add-on. */
  readonly addonId?: string;
};

/** Whose token was sent, where it is one of ours, valid or not. */
export const ownerOf = (bearer: Bearer): string | undefined =>
  bearer.claims?.addonId ?? (bearer.ok ? undefined : (bearer.own?.addonId ?? bearer.addonId));

/** The challenge when no token was sent (RFC 6750 §3.1). */
export const realm = 'Bearer realm="grantbook"';
const scheme = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** For a token that is sent in two ways, twice, or in the address (RFC 6750 §2, §3.1). */
export const invalidRequest: Bearer = {
  ok: false,
  problem: 'malformed-request',
  detail: 'An access token is sent once: in the Authorization header, or in the body of a form',
  challenge: `${realm}, error="invalid_request"`,
};

/** RFC 6750 §3.1: without a token the challenge contains no error, so that the caller learns only the scheme. */
export const missing: RefusedBearer = { ok: false, problem: 'token-missing', challenge: realm };

export const invalidToken = (problem: ProblemKind, addonId: string | null = null): RefusedBearer => ({
  ok: false,
  problem,
  challenge: `${realm}, error="invalid_token"`,
  ...(addonId !== null && { addonId }),
});

export const insufficientScope = (
  scope: Scope | SignalScope | null,
  of: Pick<RefusedBearer, 'claims' | 'own'>,
): RefusedBearer => ({
  ok: false,
  problem: 'insufficient-scope',
  challenge: `${realm}, error="insufficient_scope"${scope === null ? '' : `, scope="${scope}"`}`,
  ...of,
});

type Tokens = Pick<Commands, 'verifyAccessToken' | 'ownerOfExpired' | 'readAddonToken'>;

/**
 * Checks what needs no I/O: MAC, expiry, scope. The fence comes in the read's snapshot (RS-02). Only once valid tokens get a reason (LI-10).
 * @param scope null: any token of a grant
 */
export const openBearer = (tokens: Tokens, { headers }: FastifyRequest, scope: Scope | null): Bearer => {
  const token = bearerText(headers);
  if (token === undefined) return missing;
  return token === null ? invalidToken('token-unknown') : openToken(tokens, token, scope);
};

/** The token of `Authorization: Bearer`; undefined without that header, null where its syntax is wrong. */
export const bearerText = ({ authorization }: FastifyRequest['headers']): string | null | undefined => {
  if (authorization === undefined || !/^bearer( |$)/i.test(authorization)) return undefined;
  return scheme.exec(authorization)?.[1] ?? null;
};

/** The same for a token from elsewhere than the header. */
export const openToken = (tokens: Tokens, token: string, scope: Scope | null): Bearer => {
  const claims = tokens.verifyAccessToken(token);
  if (!claims) {
    const own = tokens.readAddonToken(token);
    if (own) return insufficientScope(scope, { own });
    return expiredOrUnknown(tokens, token);
  }
  if (!claims.audience.ownApi) return invalidToken('token-for-another-resource', claims.addonId); // RFC 8707 §2
  return scope === null || claims.scopes.includes(scope)
    ? { ok: true, claims }
    : insufficientScope(scope, { claims });
};

/** A token that is expired, or none of ours. */
export const expiredOrUnknown = (tokens: Pick<Tokens, 'ownerOfExpired'>, token: string): RefusedBearer => {
  const owner = tokens.ownerOfExpired(token);
  return invalidToken(owner === null ? 'token-unknown' : 'token-expired', owner);
};

type Judges = {
  readonly readModels: Pick<ReadModels, 'judge'>;
  readonly commands: Pick<Commands, 'judgeAddonToken'>;
};

/** A refused bearer. A revoked token that lacks the scope, too, is reported as revoked (LI-10, RS-01): only that reads the fence. */
export const bearerRefusal = async (
  bearer: RefusedBearer,
  { readModels, commands }: Judges,
): Promise<RefusedBearer> => {
  const { claims, own } = bearer;
  const ended = own ? await commands.judgeAddonToken(own) : null;
  if (ended) return invalidToken(ended);
  const refusal = claims ? await readModels.judge(claims) : null;
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

/** The answer to a token that the fence refuses. */
export const refusedByFence = (refusal: FenceRefusal): RefusedBearer => ({
  ok: false,
  problem: fenceProblems[refusal],
  reason: refusal,
  challenge: `${realm}, error="invalid_token"`,
});

/** Answers a refused bearer with the problem and its challenge (RFC 6750 §3). */
export const sendChallenge = (
  reply: FastifyReply,
  baseUrl: string,
  { problem, challenge, detail, reason }: RefusedBearer,
): FastifyReply => {
  if (reason) noteReason(reply.request, reason);
  return sendProblem(
    reply.header('www-authenticate', challenge),
    baseUrl,
    problem,
    detail === undefined ? {} : { detail },
  );
};
