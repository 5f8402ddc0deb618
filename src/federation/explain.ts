import { NoAnswer } from '../common/with-timeout.ts';
import { ProviderTrouble, type TroubleKind } from './provider-trouble.ts';

type Coded = {
  readonly code?: unknown;
  readonly error?: unknown;
  readonly cause?: unknown;
  readonly name?: unknown;
};

/** By the codes of openid-client, oauth4webapi and jose. */
const sentences: Readonly<Record<string, readonly [TroubleKind, string]>> = {
  OAUTH_TIMEOUT: ['too-slow', 'it did not answer in time'],
  OAUTH_ABORT: ['too-slow', 'it did not answer in time'],
  OAUTH_PARSE_ERROR: ['invalid-answer', 'its answer is not JSON'],
  OAUTH_INVALID_RESPONSE: ['invalid-answer', 'its answer is not one of OpenID Connect'],
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: ['invalid-answer', 'its id_token is not for this sign-in'],
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: ['invalid-answer', 'its id_token has expired, or its clock is wrong'],
  OAUTH_KEY_SELECTION_FAILED: [
    'invalid-answer',
    'its id_token is signed with a key that it does not publish',
  ],
  OAUTH_UNSUPPORTED_OPERATION: [
    'invalid-answer',
    'its id_token is signed with an algorithm that is not allowed',
  ],
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: ['invalid-answer', 'its answers do not belong together'],
  OAUTH_RESPONSE_IS_NOT_CONFORM: ['invalid-answer', 'its answer is not one of OpenID Connect'],
  OAUTH_RESPONSE_IS_NOT_JSON: ['invalid-answer', 'its answer is not JSON'],
  OAUTH_RESPONSE_BODY_ERROR: ['invalid-answer', 'it refused to redeem its code'],
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: ['invalid-answer', 'it refused our client_id or client_secret'],
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: ['sign-in-refused', 'it did not sign you in'],
};

/** Errors that a provider redirects with (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const known = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unmet_authentication_requirements',
  'unsupported_response_type',
]);

/** What went wrong, in our words: a text of the provider is never shown. */
export const explain = (error: unknown): ProviderTrouble => {
  for (let cause = error as Coded | undefined; cause; cause = cause.cause as Coded | undefined) {
    if (cause instanceof ProviderTrouble) return cause;
    if (cause instanceof NoAnswer) return new ProviderTrouble('too-slow', 'it did not answer in time', error);
    const found = typeof cause.code === 'string' ? sentences[cause.code] : undefined;
    if (found) {
      const [kind, sentence] = found;
      const said = typeof cause.error === 'string' && known.has(cause.error) ? ` (${cause.error})` : '';
      return new ProviderTrouble(kind, `${sentence}${said}`, error);
    }
    if (typeof cause !== 'object') break;
  }
  return new ProviderTrouble('invalid-answer', 'its answer could not be used', error);
};
