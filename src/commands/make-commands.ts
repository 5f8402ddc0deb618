import { makeChangeAudiences } from './change-audiences.ts';
import { makeAccessTokenHasExpired, makeVerifyAccessToken } from './access-token.ts';
import { makeAddAddonSecret, makeListAddonSecrets, makeRemoveAddonSecret } from './addon-secrets.ts';
import { makeAddAdministrator, makeRemoveAdministrator } from './administrators.ts';
import { makeActivateAddon } from './activate-addon.ts';
import { makeAddAuditor, makeIsAuditor, makeRemoveAuditor } from './auditors.ts';
import { makeApproveScopes } from './approve-scopes.ts';
import type { ExpectedRevision } from '../eventstore/event-store.ts';
import type { TraceableCommands } from './commands.ts';
import { makeCreateOrganization } from './create-organization.ts';
import { makeCreateUser } from './create-user.ts';
import { makeDeactivateAddon } from './deactivate-addon.ts';
import { makeDisableUser, makeEnableUser } from './disable-user.ts';
import { makeEraseProfile } from './erase-profile.ts';
import { makeEraseUser } from './erase-user.ts';
import { makeExchangeCode } from './exchange-code.ts';
import { makeAddonDirectory, type AddonDirectory } from './find-addon.ts';
import { makeGrantCache } from './grant-cache.ts';
import { makeIntrospectToken } from './introspect-token.ts';
import { makeIsAdministrator } from './is-administrator.ts';
import { makeIssueAdministratorToken } from './issue-administrator-token.ts';
import { makeIssueCode } from './issue-code.ts';
import { makeListAdministratorTokens } from './list-administrator-tokens.ts';
import type { CommandDependencies } from './dependencies.ts';
import { makeNoteRefusal } from './note-refusal.ts';
import { makeNoteSwap } from './note-swap.ts';
import { makeOwnConsent } from './own-consent.ts';
import { makeReadAdministratorToken } from './read-administrator-token.ts';
import { makeReadOperatorToken } from './read-operator-token.ts';
import { makeReadSession } from './read-session.ts';
import { makeRecordAccessRight } from './record-access-right.ts';
import { makeRecordAuditQuery } from './record-audit-query.ts';
import { makeRecordProfile } from './record-profile.ts';
import { makeRecordReservation } from './record-reservation.ts';
import { makeRefreshToken } from './refresh-token.ts';
import { makeRegisterAddon } from './register-addon.ts';
import { makeRememberedScopes } from './remembered-scopes.ts';
import { makeRevokeAdministratorToken } from './revoke-administrator-token.ts';
import { makeRevokeToken } from './revoke-token.ts';
import { makeSetPassword } from './set-password.ts';
import { makeRevokeGrantByOperator } from './revoke-grant.ts';
import { makeShowGrant } from './show-grant.ts';
import { makeShowActivation } from './show-activation.ts';
import { makeSignIn } from './sign-in.ts';
import { makeSignOut } from './sign-out.ts';
import { makeSkipParkedEvent } from './skip-parked-event.ts';
import { makeResumeAddon, makeSuspendAddon } from './suspend-addon.ts';
import { makeTokenOwner } from './token-owner.ts';
import { tracedStore } from './traced-store.ts';
import { makeUnblockSignIn } from './unblock-sign-in.ts';
import { makeWithdrawConsent } from './withdraw-consent.ts';

/** The whole write side over one event store and one fence. Grants that were folded are kept for the next request. */
export const makeCommands = (
  commandNeeds: CommandDependencies,
  addons: AddonDirectory = makeAddonDirectory(commandNeeds),
): TraceableCommands => {
  const needs = {
    ...commandNeeds,
    addons,
    cache: makeGrantCache(commandNeeds.grantCacheSize),
    auditRevisions: new Map<string, ExpectedRevision>(),
  };
  /** What a factory remembers is in its needs: making a command for one call loses nothing. */
  const decide = <Request, Done>(make: (from: typeof needs) => (request: Request) => Done) => {
    const untraced = make(needs);
    return (request: Request, traceparent?: string): Done =>
      traceparent === undefined
        ? untraced(request)
        : make({ ...needs, store: tracedStore(needs.store, traceparent) })(request);
  };
  return {
    registerAddon: decide(makeRegisterAddon),
    changeAudiences: decide(makeChangeAudiences),
    suspendAddon: decide(makeSuspendAddon),
    resumeAddon: decide(makeResumeAddon),
    addAddonSecret: decide(makeAddAddonSecret),
    removeAddonSecret: decide(makeRemoveAddonSecret),
    listAddonSecrets: makeListAddonSecrets(needs),
    createOrganization: decide(makeCreateOrganization),
    createUser: decide(makeCreateUser),
    disableUser: decide(makeDisableUser),
    enableUser: decide(makeEnableUser),
    eraseUser: decide(makeEraseUser),
    eraseProfile: decide(makeEraseProfile),
    setPassword: decide(makeSetPassword),
    addAdministrator: decide(makeAddAdministrator),
    removeAdministrator: decide(makeRemoveAdministrator),
    addAuditor: decide(makeAddAuditor),
    removeAuditor: decide(makeRemoveAuditor),
    isAuditor: makeIsAuditor(needs),
    recordAuditQuery: decide(makeRecordAuditQuery),
    signIn: decide(makeSignIn),
    unblockSignIn: decide(makeUnblockSignIn),
    readSession: makeReadSession(needs),
    signOut: decide(makeSignOut),
    issueAdministratorToken: decide(makeIssueAdministratorToken),
    revokeAdministratorToken: decide(makeRevokeAdministratorToken),
    listAdministratorTokens: makeListAdministratorTokens(needs),
    readAdministratorToken: makeReadAdministratorToken(needs),
    readOperatorToken: makeReadOperatorToken(needs),
    findAddon: addons.find,
    rememberedScopes: makeRememberedScopes(needs),
    approveScopes: decide(makeApproveScopes),
    ownConsent: makeOwnConsent(needs),
    withdrawConsent: decide(makeWithdrawConsent),
    issueCode: decide(makeIssueCode),
    exchangeCode: decide(makeExchangeCode),
    refreshToken: decide(makeRefreshToken),
    verifyAccessToken: makeVerifyAccessToken(needs),
    accessTokenHasExpired: makeAccessTokenHasExpired(needs),
    revokeToken: decide(makeRevokeToken),
    introspectToken: makeIntrospectToken(needs),
    tokenOwner: makeTokenOwner(needs),
    showGrant: makeShowGrant(needs),
    revokeGrant: decide(makeRevokeGrantByOperator),
    isAdministrator: makeIsAdministrator(needs),
    noteRefusal: decide(makeNoteRefusal),
    showActivation: makeShowActivation(needs),
    activateAddon: decide(makeActivateAddon),
    deactivateAddon: decide(makeDeactivateAddon),
    recordProfile: decide(makeRecordProfile),
    recordReservation: decide(makeRecordReservation),
    recordAccessRight: decide(makeRecordAccessRight),
    noteSwap: decide(makeNoteSwap),
    skipParkedEvent: decide(makeSkipParkedEvent),
  };
};
