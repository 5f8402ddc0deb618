import { isNativeRedirect } from '../../../domain/addons/redirect-uri.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import type { Scope } from '../../../domain/access/scope.ts';
import type { Pending } from '../../session/interactions.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import type { AuthorizationError, AuthorizationRequest } from './authorization-request.ts';
import { choiceOf, type Candidate, type Candidates, type Impossible } from './subject-candidates.ts';

export type PendingAuthorization = Extract<Pending, { readonly kind: 'authorize' }>;

export type Step =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'approve'; readonly session: Session; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'issue'; readonly session: Session; readonly candidate: Candidate }
  | { readonly kind: 'impossible'; readonly session: Session; readonly impossible: Impossible }
  | {
      readonly kind: 'refuse';
      readonly error: AuthorizationError;
      readonly description: string;
      readonly reason: RefusalReason;
    };

/**
 * Of the hinted user (AZ-31), and from this interaction's sign-in or recent enough (`max_age`, AZ-20); for `prompt=login` (AZ-34)
 * only the former: clocks differ (TR-04).
 */
export const isFresh = (
  session: Session | null,
  { request, signedIn }: Pick<PendingAuthorization, 'request' | 'signedIn'>,
): session is Session => {
  const { mustSignIn, signedInSince, hintedUserId } = request;
  if (session === null || (hintedUserId !== null && session.userId !== hintedUserId)) return false;
  if (session.sessionId === signedIn) return true;
  if (mustSignIn || signedInSince === null) return !mustSignIn;
  // Nobody knows how long ago a provider asked for a password that does not say so.
  return session.upstream?.authTime !== null && session.authTime > signedInSince;
};

/** Where there is a choice, it must be the one that the user had when the approval was given (FX-22). */
const isSameChoice = (meant: readonly Candidate[], { remembered }: Candidate): boolean =>
  meant.length === 1 || remembered.choice === choiceOf(meant);

const covers = (remembered: readonly Scope[], asked: readonly Scope[]): boolean =>
  asked.length > 0 && asked.every((scope) => remembered.includes(scope));

/** Nobody can tell who is behind a public add-on with a native app's redirect: ask every time (AZ-38; docs/adr/0004). */
const isAssured = (addon: Addon, redirectUri: string): boolean =>
  addon.secretDigests.length > 0 || !isNativeRedirect(addon.redirectUris, redirectUri);

const silent = (error: AuthorizationError, description: string, reason: RefusalReason): Step => ({
  kind: 'refuse',
  error,
  description,
  reason,
});

export const stepWithoutSession = ({ prompt }: AuthorizationRequest): Step =>
  prompt.includes('none')
    ? silent(
        'login_required',
        'the user is not signed in, or not recently enough, or another one is',
        'sign-in-needed',
      )
    : { kind: 'sign-in' };

/** No approval where the whole request was approved for one candidate, chosen among the same (AZ-37); after an activation only that one (AC-01). */
export const stepWithSession = (
  request: AuthorizationRequest,
  addon: Addon,
  session: Session,
  { candidates, impossible }: Candidates,
): Step => {
  const { scopes, prompt, redirectUri } = request;
  if (impossible && !prompt.includes('none')) return { kind: 'impossible', session, impossible };
  if (impossible)
    return silent(
      'access_denied',
      'the user may not decide for that subject, or the add-on is not active for it',
      'nobody-to-act-for',
    );
  if (candidates.length === 0)
    return silent('access_denied', 'the add-on is not active for the organization', 'nobody-to-act-for');
  const mustAsk = prompt.includes('consent') || !isAssured(addon, redirectUri);
  const handedOff = candidates.filter((candidate) => candidate.handedOff);
  const meant = handedOff.length > 0 ? handedOff : candidates;
  const covering = meant.filter(({ remembered }) => covers(remembered.scopes, scopes));
  const [only] = covering;
  if (!mustAsk && only && covering.length === 1 && isSameChoice(meant, only))
    return { kind: 'issue', session, candidate: only };
  if (!prompt.includes('none')) return { kind: 'approve', session, candidates };
  return !mustAsk && covering.length > 0
    ? silent('interaction_required', 'the user must choose for whom the add-on acts', 'choice-needed')
    : silent('consent_required', 'the user must approve the access', 'consent-needed');
};
