import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignalScope } from '../../domain/access/addon-token.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { AddonTokenClaims } from '../../commands/credentials/addon-token-text.ts';
import {
  bearerRefusal,
  bearerText,
  expiredOrUnknown,
  insufficientScope,
  invalidToken,
  missing,
  ownerOf,
  sendChallenge,
  type RefusedBearer,
} from '../base/bearer.ts';
import type { SignalsDependencies } from './dependencies.ts';
import { makeAdmitBearer } from '../limits/rate-limits.ts';
import { noteClient } from '../limits/refusals.ts';
import { sendProblem } from '../answers/send-problem.ts';

export type AddonCaller = {
  readonly addonId: string;
  readonly tokenId: string;
  readonly expiresAt: Instant;
  readonly scopes: readonly SignalScope[];
  /** For a later answer, such as of a long poll: false, and 401 is sent, if the token has ended since. */
  readonly stillValid: () => Promise<boolean>;
};

export type AddonOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  scope: SignalScope,
  /** Which tokens need no look at the log now. None by default. */
  isKnown?: (tokenId: string) => boolean,
) => Promise<AddonCaller | null>;

type Dependencies = Pick<
  SignalsDependencies,
  'commands' | 'config' | 'rateLimits' | 'readModels' | 'trusted'
>;

/**
 * For the addresses of Shared Signals (SG-02): the add-on of the request, by the token that it took for itself with
 * `client_credentials`. `ssf.manage` includes `ssf.read`. Null when the request was answered: 401 with `invalid_token`
 * (none, unknown, expired, revoked), 403 with `insufficient_scope` and the scope that is missing (also for the token of
 * a grant), or 429. Judged on the log at every call, so a token opens nothing once the call
 * that ended it has returned.
 * A suspended add-on is not refused. Announce `rateLimits.signals` in the scope of the routes.
 */
export const makeAddonOf = (dependencies: Dependencies): AddonOf => {
  const { commands, config, trusted } = dependencies;
  const admit = makeAdmitBearer(dependencies);

  return async (request, reply, scope, isKnown) => {
    const refuse = (refused: RefusedBearer): null => {
      noteClient(request, ownerOf(refused));
      sendChallenge(reply, config.baseUrl, refused);
      return null;
    };
    const token = bearerText(request.headers);
    if (token === undefined) return refuse(missing);
    if (token === null) return refuse(invalidToken('token-unknown'));
    const own = commands.readAddonToken(token);
    if (!own) {
      const claims = commands.verifyAccessToken(token);
      if (!claims) return refuse(expiredOrUnknown(commands, token));
      noteClient(request, claims.addonId);
      if (!trusted()) {
        sendProblem(reply, config.baseUrl, 'temporarily-unavailable');
        return null;
      }
      if (!(await admit(request, reply, { claims }))) return null;
      return refuse(await bearerRefusal(insufficientScope(scope, { claims }), dependencies));
    }
    noteClient(request, own.addonId);
    if (!(await admit(request, reply, { own }))) return null;
    const stillValid = async (): Promise<boolean> => {
      const ended = await commands.judgeAddonToken(own);
      if (ended) refuse(invalidToken(ended));
      return ended === null;
    };
    if (!isKnown?.(own.tokenId) && !(await stillValid())) return null;
    if (!covers(own, scope)) return refuse(insufficientScope(scope, { own }));
    const { addonId, tokenId, expiresAt, scopes } = own;
    return { addonId, tokenId, expiresAt, scopes, stillValid };
  };
};

const covers = ({ scopes }: AddonTokenClaims, scope: SignalScope): boolean =>
  scopes.includes(scope) || scopes.includes('ssf.manage');
