import type { FenceRefusal } from '../../domain/fence/fence.ts';
import type { ExchangeRefusal } from '../../domain/access/grant-exchange.ts';
import type { RefreshRefusal } from '../../domain/access/grant-refresh.ts';
import type { Failure } from '../answers/failures.ts';
import type { ProblemKind } from '../answers/problems.ts';
import type { InteractionRefusal } from '../session/interactions.ts';

/** What is wrong with a request or its sender before any lookup. */
type RequestReason =
  | 'parameter-missing'
  | 'parameter-repeated'
  | 'parameter-too-long'
  | 'parameter-not-supported'
  | 'secret-in-query'
  | 'grant-type-not-supported'
  | 'grant-type-not-registered'
  | 'verifier-missing'
  | 'scope-malformed'
  | 'resource-malformed'
  | 'resource-not-allowed'
  | 'client-id-missing'
  | 'client-ids-differ'
  | 'client-authentication-malformed'
  | 'client-authenticated-twice'
  | 'client-unknown'
  | 'client-secret-missing'
  | 'client-secret-wrong'
  | 'client-secret-not-expected'
  | 'client-is-public'
  | 'token-inactive'
  | 'method-not-allowed'
  | 'not-trusted-yet';

/** Reasons of the authorization endpoint only. */
type AuthorizeReason =
  | 'redirect-uri-missing'
  | 'redirect-uri-not-registered'
  | 'addon-retired'
  | 'response-type-not-supported'
  | 'response-mode-not-supported'
  | 'state-missing'
  | 'scope-not-allowed'
  | 'pkce-missing'
  | 'pkce-malformed'
  | 'prompt-not-supported'
  | 'max-age-malformed'
  | 'organization-malformed'
  | 'subject-malformed'
  | 'id-token-hint-unknown'
  | 'sign-in-needed'
  | 'consent-needed'
  | 'choice-needed'
  | 'nobody-to-act-for'
  | 'user-did-not-allow'
  | 'form-incomplete'
  | 'addon-not-active'
  | 'too-many-grants';

/** Why a request was refused, for logs and metrics: a closed set, to be a label. Answers may say less. */
export type RefusalReason =
  | RequestReason
  | AuthorizeReason
  | ExchangeRefusal
  | RefreshRefusal
  | FenceRefusal
  | Failure
  | ProblemKind
  | `interaction-${InteractionRefusal}`;
