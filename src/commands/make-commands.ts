import { makeChangeAudiences } from './change-audiences.ts';
import { makeAccessTokenHasExpired, makeVerifyAccessToken } from './access-token.ts';
import { makeAddAddonSecret, makeListAddonSecrets, makeRemoveAddonSecret } from './addon-secrets.ts';
import { makeAddAdministrator, makeRemoveAdministrator } from './administrators.ts';
import { makeActivateAddon } from './activate-addon.ts';
import { makeAddAuditor, makeIsAuditor, makeRemoveAuditor } from './auditors.ts';
import { makeApproveScopes } from './approve-scopes.ts';
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
import { makeAuditRevisions, makeRecordAuditQuery } from './record-audit-query.ts';
import { makeRecordCommands } from './record.ts';
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
import { makeUnblockSignIn } from './unblock-sign-in.ts';
import { makeWithdrawConsent } from './withdraw-consent.ts';

/**
 * The whole write side over one event store and one fence: a line for each command, and `Commands` follows from it. Grants that were
 * folded are kept for the next request.
 */
export const makeCommands = (
  commandNeeds: CommandDependencies,
  addons: AddonDirectory = makeAddonDirectory(commandNeeds),
) => {
  const needs = {
    ...commandNeeds,
    addons,
    cache: makeGrantCache(commandNeeds.grantCacheSize),
    auditRevisions: makeAuditRevisions(),
  };
  return {
    registerAddon: makeRegisterAddon(needs),
    changeAudiences: makeChangeAudiences(needs),
    suspendAddon: makeSuspendAddon(needs),
    resumeAddon: makeResumeAddon(needs),
    addAddonSecret: makeAddAddonSecret(needs),
    removeAddonSecret: makeRemoveAddonSecret(needs),
    listAddonSecrets: makeListAddonSecrets(needs),
    createOrganization: makeCreateOrganization(needs),
    createUser: makeCreateUser(needs),
    disableUser: makeDisableUser(needs),
    enableUser: makeEnableUser(needs),
    eraseUser: makeEraseUser(needs),
    eraseProfile: makeEraseProfile(needs),
    setPassword: makeSetPassword(needs),
    addAdministrator: makeAddAdministrator(needs),
    removeAdministrator: makeRemoveAdministrator(needs),
    addAuditor: makeAddAuditor(needs),
    removeAuditor: makeRemoveAuditor(needs),
    isAuditor: makeIsAuditor(needs),
    recordAuditQuery: makeRecordAuditQuery(needs),
    signIn: makeSignIn(needs),
    unblockSignIn: makeUnblockSignIn(needs),
    readSession: makeReadSession(needs),
    signOut: makeSignOut(needs),
    issueAdministratorToken: makeIssueAdministratorToken(needs),
    revokeAdministratorToken: makeRevokeAdministratorToken(needs),
    listAdministratorTokens: makeListAdministratorTokens(needs),
    readAdministratorToken: makeReadAdministratorToken(needs),
    readOperatorToken: makeReadOperatorToken(needs),
    findAddon: addons.find,
    rememberedScopes: makeRememberedScopes(needs),
    approveScopes: makeApproveScopes(needs),
    ownConsent: makeOwnConsent(needs),
    withdrawConsent: makeWithdrawConsent(needs),
    issueCode: makeIssueCode(needs),
    exchangeCode: makeExchangeCode(needs),
    refreshToken: makeRefreshToken(needs),
    verifyAccessToken: makeVerifyAccessToken(needs),
    accessTokenHasExpired: makeAccessTokenHasExpired(needs),
    revokeToken: makeRevokeToken(needs),
    introspectToken: makeIntrospectToken(needs),
    tokenOwner: makeTokenOwner(needs),
    showGrant: makeShowGrant(needs),
    revokeGrant: makeRevokeGrantByOperator(needs),
    isAdministrator: makeIsAdministrator(needs),
    noteRefusal: makeNoteRefusal(needs),
    showActivation: makeShowActivation(needs),
    activateAddon: makeActivateAddon(needs),
    deactivateAddon: makeDeactivateAddon(needs),
    ...makeRecordCommands(needs),
    noteSwap: makeNoteSwap(needs),
    skipParkedEvent: makeSkipParkedEvent(needs),
  };
};
