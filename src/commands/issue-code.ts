import { accept, type Instant } from '../domain/decision.ts';
import { accountSubject, fenceSubjectsOf, judgeFence, type FenceRefusal } from '../domain/fence.ts';
import { grantDecider, type GrantTerms, type GrantSubject } from '../domain/grant.ts';
import type { Scope } from '../domain/scope.ts';
import { grantStream } from '../domain/streams.ts';
import type { CommandContext } from './context.ts';
import { mintCredential } from './credentials.ts';
import type { Outcome } from './outcome.ts';
import { makeRevokeAfterFenceChange } from './revoke-after-fence-change.ts';
import { handle, unseen } from './handle.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';
import type { GrantDependencies } from './grant-cache.ts';
import { newSalt } from './secrets.ts';

export type IssueCode = {
  readonly addonId: string;
  readonly userId: string;
  readonly subject: GrantSubject;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly nonce: string | null;
  readonly resources: readonly string[];
  readonly authTime: Instant;
};

/**
 * Issues a code in a grant stream of its own; it is bound to everything that was approved (AZ-53) and answered only
 * after its event is durable (AZ-54) and the fence was still open at its epoch (P2). So every code that anybody was
 * given was in the log before the fence closed, where the reaction finds it; one that is not answered ends here. Killed
 * in between, nothing ends it: a code that nobody was ever given, and that no exchange would accept.
 */
export const makeIssueCode = (dependencies: GrantDependencies) => {
  const { store, fence, keys, lifetimes, now, newId, cache } = dependencies;
  const endSlipped = makeRevokeAfterFenceChange(dependencies);
  return async (
    request: IssueCode,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly code: string }, (typeof issueRefusals)[FenceRefusal]>> => {
    const at = now();
    const grantId = newId();
    const guarded = { ...request, grantId, needsApprover: true };
    const look = async () => {
      const rows = await fence.read(fenceSubjectsOf(guarded));
      const account = rows.find(({ subject }) => subject === accountSubject(request.userId));
      return { closed: judgeFence(guarded, rows), disablings: account?.epoch ?? 0 };
    };
    const { closed, disablings } = await look();
    if (closed) return refused(issueRefusals[closed]);
    const terms: GrantTerms = {
      ...termsOf(request),
      grantId,
      keyId: keys.current,
      salt: newSalt(),
      at,
      expiresAt: at + lifetimes.code,
    };
    const handled = await retryUnknownOutcome((attempt) =>
      handle(
        store,
        grantStream(grantId),
        grantDecider,
        ({ status }) =>
          status === 'none' ? accept({ type: 'AuthorizationCodeIssued', data: terms }) : accept(),
        {
          context,
          metadata: { actor: request.userId },
          ...(attempt === 'first' && { assume: unwritten }),
        },
      ),
    );
    const then = await look();
    // Disabled and enabled again meanwhile: the code's event would look as if it came after.
    const slipped = then.closed ?? (then.disablings === disablings ? null : 'account-disabled');
    if (slipped) {
      await endSlipped(grantId, slipped, context);
      return refused(issueRefusals[slipped]);
    }
    cache.remember(grantId, handled);
    const address = { grantId, rotation: 0, expiresAt: terms.expiresAt };
    return { ok: true, value: { code: mintCredential(keys, 'code', terms, address) } };
  };
};

/** Nobody else can have written to a stream with a name just made up. */
const unwritten = unseen(grantDecider);

/** An account that was disabled since the approval is told apart by nobody but the log. */
const issueRefusals = {
  'addon-deactivated': 'addon-not-active',
  'account-disabled': 'addon-not-active',
  'token-revoked': 'addon-not-active',
  'addon-suspended': 'addon-suspended',
  'on-hold': 'on-hold',
  'consent-withdrawn': 'consent-withdrawn',
} as const satisfies Record<FenceRefusal, string>;

const refused = <R extends string>(refusal: R) => ({ ok: false, refusal }) as const;

/** Named one by one: nothing that a caller adds may find its way into the log. */
const termsOf = ({
  addonId,
  userId,
  subject,
  scopes,
  redirectUri,
  codeChallenge,
  nonce,
  resources,
  authTime,
}: IssueCode) => ({
  addonId,
  userId,
  subject,
  scopes,
  redirectUri,
  codeChallenge,
  nonce,
  resources,
  authTime,
});
