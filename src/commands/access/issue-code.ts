import { withdrawnFrom, type Withdrawn } from '../../domain/addons/addon-update.ts';
import { accept, type Instant } from '../../domain/kernel/decision.ts';
import { accountSubject, fenceSubjectsOf, judgeFence, type FenceRefusal } from '../../domain/fence/fence.ts';
import {
  type Authentication,
  grantDecider,
  type GrantTerms,
  type GrantSubject,
} from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { grantStream } from '../../domain/streams.ts';
import type { CommandContext } from '../kernel/context.ts';
import { mintCredential } from '../credentials/credentials.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { makeMayApproveFor } from '../organizations/is-administrator.ts';
import { handle, unseen } from '../kernel/handle.ts';
import { retryUnknownOutcome } from '../kernel/retry-unknown-outcome.ts';
import type { GrantDependencies } from './dependencies.ts';
import { makeRevokeAfterFenceChange, makeRevokeGrant } from './revoke-grant.ts';
import { newSalt } from '../credentials/secrets.ts';

export type IssueCode = {
  readonly addonId: string;
  readonly userId: string;
  /** The user approves for the organization as its administrator: asked again before the answer. */
  readonly asAdministrator?: boolean;
  readonly subject: GrantSubject;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly nonce: string | null;
  readonly resources: readonly string[];
  readonly authTime: Instant;
  /** What the user's provider says about the sign-in. */
  readonly authentication?: Authentication | null;
};

/**
 * Issues a code in a grant stream of its own. The code is bound to everything that was approved (AZ-53). It is answered
 * only after its event is durable (AZ-54) and a second read shows the fence still open at its epoch (P2). So every
 * answered code was in the log before the fence closed, where the reaction finds it. The same holds for a redirect URI or
 * a scope that an operator removes from the add-on, and for an administrator who is removed: their streams are read then,
 * too. A code that may not be answered is
 * ended here. If the process is killed in between, the code stays in the log, but no client ever got it and no exchange
 * would accept it.
 */
export const makeIssueCode = (
  dependencies: GrantDependencies & { readonly addons: Pick<AddonDirectory, 'current'> },
) => {
  const { store, fence, keys, lifetimes, now, newId, cache, addons } = dependencies;
  const revoke = makeRevokeGrant(dependencies);
  const mayApproveFor = makeMayApproveFor(dependencies);
  const revokeAfterFenceChange = makeRevokeAfterFenceChange(dependencies);
  return async (
    request: IssueCode,
    context?: CommandContext,
  ): Promise<
    Outcome<
      { readonly code: string },
      (typeof issueRefusals)[FenceRefusal] | Withdrawn | 'not-an-administrator'
    >
  > => {
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
    const { asAdministrator = false, subject, userId } = request;
    const isApprover = asAdministrator && subject.kind === 'organization';
    const [then, addon, mayApprove] = await Promise.all([
      look(),
      addons.current(request.addonId),
      isApprover ? mayApproveFor(subject.organizationId, userId) : true,
    ]);
    // Disabled and enabled again in the meantime: the code's event would look as if it came after that.
    const fenceRefusal = then.closed ?? (then.disablings === disablings ? null : 'account-disabled');
    if (fenceRefusal) {
      await revokeAfterFenceChange(grantId, fenceRefusal, context);
      return refused(issueRefusals[fenceRefusal]);
    }
    const withdrawn = addon && withdrawnFrom(addon, request);
    if (withdrawn) {
      await revoke({ grantId, reason: withdrawn }, context);
      return refused(withdrawn);
    }
    if (!mayApprove) {
      await revoke({ grantId, reason: 'role-lost' }, context);
      return refused('not-an-administrator');
    }
    cache.remember(grantId, handled);
    const address = { grantId, rotation: 0, expiresAt: terms.expiresAt };
    return { ok: true, value: { code: mintCredential(keys, 'code', terms, address) } };
  };
};

/** The id is new, so nobody else can have written to the stream. */
const unwritten = unseen(grantDecider);

/**
 * To the caller, an account that was disabled since the approval looks like an inactive add-on; only the log tells them
 * apart.
 */
const issueRefusals = {
  'addon-deactivated': 'addon-not-active',
  'account-disabled': 'addon-not-active',
  'token-revoked': 'addon-not-active',
  'addon-suspended': 'addon-suspended',
  'on-hold': 'on-hold',
  'consent-withdrawn': 'consent-withdrawn',
} as const satisfies Record<FenceRefusal, string>;

const refused = <R extends string>(refusal: R) => ({ ok: false, refusal }) as const;

/** Each field is named, so that nothing else that a caller passes gets into the log. */
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
  authentication = null,
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
  authentication,
});
