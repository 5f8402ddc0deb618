import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { path } from '../base/routes.ts';
import { onlyPost } from '../oauth/token/client-endpoint.ts';
import {
  invalidRequest,
  noStore,
  sendTokenError,
  tooManyRequests,
  unavailable,
} from '../oauth/token/token-answers.ts';
import { notKept, oauthErrors } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { sometimes } from '../openapi/headers.ts';
import { clientNetwork } from '../requests/client-network.ts';
import { formOf, only } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import type { FederationDependencies } from './dependencies.ts';

type Named = { readonly params: { readonly provider: string } };

const longest = 16_000;

/** A token is refused for this long after it has expired: the clocks of two instances differ. In milliseconds. */
const remembered = 600_000;

/** OpenID Connect Back-Channel Logout 1.0 §2.5: the provider says that a user has signed out. */
export const registerBackchannelLogout = (
  app: FastifyInstance,
  { commands, federation, endInteraction, hasEnded, rateLimits, browser: { logger } }: FederationDependencies,
): void => {
  const refuse = (reply: FastifyReply, provider: string, problem: string) => {
    logger.warn({ provider, problem, requestId: reply.request.id }, 'a logout token was refused');
    return sendTokenError(reply, invalidRequest(`logout_token: ${problem}`, 'token-inactive'));
  };

  const logout = async (request: FastifyRequest, reply: FastifyReply) => {
    const { provider } = (request as unknown as Named).params;
    const admission = await rateLimits.signInSteps.admit({ 'sign-in-steps': clientNetwork(request) });
    if (!admission.admitted)
      return sendTokenError(reply.header('retry-after', String(admission.retryAfter)), tooManyRequests);
    if (!federation.providers.some(({ id }) => id === provider))
      return refuse(reply, 'unknown', 'sign-in provider not found');
    const sent = only(formOf(request), 'logout_token');
    if (sent === undefined || sent.length > longest)
      return refuse(reply, provider, 'is missing, was sent more than once or is too long');
    try {
      const read = await federation.readLogoutToken(provider, sent);
      if ('problem' in read) return refuse(reply, provider, read.problem);
      admission.takeBack(); // a provider may sign out all of its users at once
      const { issuer, jti, sid, subject, expiresAt } = read.token;
      const id = `logout ${createHash('sha256')
        .update(JSON.stringify([issuer, jti]))
        .digest('base64url')}`;
      if (await hasEnded(id)) return refuse(reply, provider, 'jti was received before');
      await commands.endProviderSessions({ provider, issuer, sid, subject }, contextOf(request));
      // Last: a provider that got no answer sends the token again.
      if (!(await endInteraction(id, expiresAt + remembered)))
        return refuse(reply, provider, 'jti was received before');
      return reply.code(200).headers(noStore).send();
    } catch (error) {
      const trouble = federation.troubleOf(error);
      if (!trouble) throw error;
      const { found, detail } = trouble;
      logger.warn({ provider, found, detail }, 'a logout token could not be checked');
      return sendTokenError(reply, unavailable);
    }
  };

  path(app, federationPaths, '/sign-in/backchannel-logout/{provider}', { POST: logout }, onlyPost);
};

const federationPaths = {
  '/sign-in/backchannel-logout/{provider}': {
    POST: {
      tag: 'Identity',
      security: [],
      id: 'backchannel-logout',
      summary: 'End the sessions of a user who signed out at a provider',
      description: 'OpenID Connect Back-Channel Logout 1.0: only the provider calls it.',
      form: 'BackchannelLogoutForm',
      answers: [
        { status: 200, description: 'The sessions have ended.', headers: notKept },
        ...oauthErrors(
          { 400: ['invalid_request'], 429: ['temporarily_unavailable'] },
          { 'Retry-After': sometimes() },
        ),
      ],
    },
  },
} satisfies Paths;
