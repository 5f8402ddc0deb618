import type { FastifyReply } from 'fastify';
import type { AuthorizeDependencies } from './dependencies.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import { noteClient } from '../../limits/refusals.ts';
import { contextOf } from '../../requests/trace.ts';
import { sendAuthorizationCode, sendAuthorizationError } from './authorization-answers.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { scopeRemoved, showRemoved } from './removed-from-addon.ts';
import { withOwnApi } from '../token/resources.ts';
import type { Candidate } from './subject-candidates.ts';
import { accessOnHold } from '../token/token-answers.ts';

const refusals = {
  'addon-not-active': 'the add-on is not active for the organization',
  'addon-suspended': 'the add-on is suspended',
  'on-hold': accessOnHold,
  'consent-withdrawn': 'the user has just withdrawn the approval',
  'scope-removed': scopeRemoved,
  'not-an-administrator': 'the user no longer administers the organization',
};

/** Stores the code first, and only then sends it to the add-on (AZ-54). */
export const makeIssue = ({ browser, commands, trusted }: AuthorizeDependencies) => {
  const { config } = browser;
  return async (
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
        'the service is starting; try again in a moment',
        'not-trusted-yet',
      );
    const { clientId: addonId, scopes, redirectUri, codeChallenge, nonce, resources } = request;
    const { userId, authTime, upstream, passkey } = session;
    const context = contextOf(reply.request);
    const issued = await commands.issueCode(
      {
        addonId,
        userId,
        asAdministrator: true,
        subject,
        scopes,
        redirectUri,
        codeChallenge,
        nonce,
        resources: withOwnApi(resources, config.baseUrl),
        authTime,
        authentication: upstream
          ? { acr: upstream.acr, amr: upstream.amr }
          : { acr: null, amr: passkey?.amr ?? ['pwd'] },
      },
      context,
    );
    if (!issued.ok && issued.refusal === 'addon-not-active' && subject.kind === 'organization')
      await commands.noteRefusal({ organizationId: subject.organizationId, addonId, userId }, context);
    if (issued.ok) return sendAuthorizationCode(reply, config.issuer, request, issued.value.code);
    const { refusal } = issued;
    if (refusal === 'redirect-uri-removed') return showRemoved(browser, reply);
    const error = refusal === 'scope-removed' ? 'invalid_scope' : 'access_denied';
    return sendAuthorizationError(reply, config.issuer, address, error, refusals[refusal], refusal);
  };
};
