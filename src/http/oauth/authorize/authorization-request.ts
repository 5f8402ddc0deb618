import type { Instant } from '../../../domain/kernel/decision.ts';
import type { Prompt } from '../../../domain/access/prompt.ts';
import type { OrganizationSelector } from '../../../domain/organizations/organization-selector.ts';
import type { Scope } from '../../../domain/access/scope.ts';

/** An authorization request that passed every check and still needs the user's answer. */
export type AuthorizationRequest = {
  readonly clientId: string;
  /** As sent, byte for byte; one of the registered ones (AZ-05). */
  readonly redirectUri: string;
  readonly state: string;
  /** Only known and allowed scopes; those of the registration when none were sent. */
  readonly scopes: readonly Scope[];
  readonly codeChallenge: string;
  readonly prompt: readonly Prompt[];
  /** The user must sign in for this request, even with a session (`prompt=login`, `max_age=0`; AZ-34). */
  readonly mustSignIn: boolean;
  /** The sign-in must be later than this instant (`prompt=login`, `max_age`); null if any valid session suffices. */
  readonly signedInSince: Instant | null;
  /** The only user who may answer (`id_token_hint`); null when anyone may. */
  readonly hintedUserId: string | null;
  /** The e-mail address that the add-on expects (`login_hint`), to prefill the form; null without. */
  readonly loginHint: string | null;
  /** What is sent to a sign-in provider: `max_age`, `login_hint`, `ui_locales`, `acr_values`. */
  readonly passedOn: Readonly<Record<string, string>>;
  /** The only subjects that the add-on asks for (AP-03); null if it names none. */
  readonly select: SubjectSelection | null;
  readonly nonce: string | null;
  readonly resources: readonly string[];
};

/** `which` null: any organization. */
export type SubjectSelection =
  { readonly kind: 'user' } | { readonly kind: 'organization'; readonly which: OrganizationSelector | null };

/** RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6, RFC 8707 §2. */
export type AuthorizationError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'invalid_target';

/** Where an error may be redirected to, and how. */
export type ReturnAddress = {
  readonly redirectUri: string;
  /** Undefined when it was missing, repeated or unreadable (AZ-10). */
  readonly state: string | undefined;
  readonly by: 'query' | 'fragment';
};
