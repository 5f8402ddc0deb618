import type { FastifyReply } from 'fastify';
import type { Browser } from '../browser.ts';
import type { Session } from '../../commands/read-session.ts';
import { noteClient } from '../refusals.ts';
import { contextOf } from '../trace.ts';
import { sendAuthorizationCode, sendAuthorizationError } from './authorization-answers.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { withOwnApi } from './resources.ts';
import type { Candidate } from './subject-candidates.ts';
import { accessOnHold } from './token-answers.ts';

const refusals = {
  'addon-not-active': 'the add-on is not active for the organization',
  'addon-suspended': 'the add-on is suspended',
  'on-hold': accessOnHold,
  'consent-withdrawn': 'the user has just withdrawn the approval',
};

/** Stores the code first, and only then sends it to the add-on (AZ-54). */
export const makeIssue =
  ({ commands, config, trusted }: Browser) =>
  async (
    reply: FastifyReply,
    request: AuthorizationRequest,
    session: Session,
    { subject }: Candidate,
  ): Promise<FastifyReply> => {
    const address = { redirectUri: request.redirectUri, state: request.state, by: 'query' } as const;
    noteClient(reply.request, request.clientId);
    if (!trusted())
      return sendAuthorizationError(
        reply,
        config.issuer,
        address,
        'temporarily_unavailable',
        'the service is starting, please try again in a moment',
        'not-trusted-yet',
      );
    const { clientId: addonId, scopes, redirectUri, codeChallenge, nonce, resources } = request;
    const { userId, authTime, upstream } = session;
    const context = contextOf(reply.request);
    const issued = await commands.issueCode(
      {
        addonId,
        userId,
        subject,
        scopes,
        redirectUri,
        codeChallenge,
        nonce,
        resources: withOwnApi(resources, config.baseUrl),
        authTime,
        authentication: upstream && { acr: upstream.acr, amr: upstream.amr },
      },
      context,
    );
    if (!issued.ok && issued.refusal === 'addon-not-active' && subject.kind === 'organization')
      await commands.noteRefusal({ organizationId: subject.organizationId, addonId, userId }, context);
    return issued.ok
      ? sendAuthorizationCode(reply, config.issuer, request, issued.value.code)
      : sendAuthorizationError(
          reply,
          config.issuer,
          address,
          'access_denied',
          refusals[issued.refusal],
          issued.refusal,
        );
  };
