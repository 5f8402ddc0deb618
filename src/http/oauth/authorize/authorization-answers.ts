import type { FastifyReply } from 'fastify';
import { appendParameters } from '../../answers/append-parameters.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import { noteReason } from '../../limits/refusals.ts';
import type { AuthorizationError, AuthorizationRequest, ReturnAddress } from './authorization-request.ts';

/** 303, so that the browser never repeats a form at the add-on (RFC 9700 §4.12). */
export const redirect = (reply: FastifyReply, location: string): FastifyReply =>
  reply.code(303).headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).send();

export const sendAuthorizationCode = (
  reply: FastifyReply,
  issuer: string,
  { redirectUri, state }: AuthorizationRequest,
  code: string,
): FastifyReply => redirect(reply, appendParameters(redirectUri, { code, state, iss: issuer }));

/** `description` is fixed text of ours; no parameter is echoed except `state`. */
export const sendAuthorizationError = (
  reply: FastifyReply,
  issuer: string,
  { redirectUri, state, by }: ReturnAddress,
  error: AuthorizationError,
  description: string,
  reason: RefusalReason,
): FastifyReply => {
  noteReason(reply.request, reason);
  return redirect(
    reply,
    appendParameters(redirectUri, { error, error_description: description, state, iss: issuer }, by),
  );
};
