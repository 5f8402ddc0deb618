import { makeChangePassword } from './change-password.ts';
import {
  makeChoosePassword,
  makeInviteUser,
  makeIssuePasswordLink,
  makeReadPasswordLink,
} from './password-links.ts';
import { makeAccessTokenHasExpired, makeVerifyAccessToken } from './access-token.ts';
import { makeAddonLogo } from './addon-logo.ts';
import { makeIssueAddonToken, makeJudgeAddonToken, makeReadAddonToken } from './addon-tokens.ts';
import { makeAddAddonSecret, makeListAddonSecrets, makeRemoveAddonSecret } from './addon-secrets.ts';
import { makeAddAdministrator, makeRemoveAdministrator } from './administrators.ts';
import { makeAccountOfIdentity } from './account-of-identity.ts';
import { makeActivateAddon } from './activate-addon.ts';
import { makeAddAuditor, makeIsAuditor, makeRemoveAuditor } from './auditors.ts';
import { makeApplyAddonScopes } from './apply-addon-scopes.ts';
import { makeApproveScopes } from './approve-scopes.ts';
import {
  makeChangeSignalStream,
  makeDeleteSignalStream,
  makePauseSignalStream,
  makeReplaySignalStream,
  makeSetSignalStreamStatus,
} from './change-signal-stream.ts';
import { makeCloseOrganization } from './close-organization.ts';
import { makeCreateOrganization } from './create-organization.ts';
import { makeCreateSignalStream } from './create-signal-stream.ts';
import { makeCreateUser } from './create-user.ts';
import { makeDeactivateAddon } from './deactivate-addon.ts';
import { makeDisableUser, makeEnableUser } from './disable-user.ts';
import { makeEndSession, makeEndSessions } from './end-sessions.ts';
import type { AddonGrants } from './addon-grants.ts';
import { makeEraseProfile } from './erase-profile.ts';
import { makeEraseUser } from './erase-user.ts';
import { makeExchangeCode } from './exchange-code.ts';
import { makeAddonDirectory, type AddonDirectory } from './find-addon.ts';
import { makeIsEmailVerified } from './find-account.ts';
import { makeFindSignalStream } from './find-signal-stream.ts';
import { makeSignalChangesPausedUntil } from './limit-signal-changes.ts';
import { makeGrantCache } from './grant-cache.ts';
import { makeIntrospectToken } from './introspect-token.ts';
import { makeIsAdministrator, makeMayApproveFor } from './is-administrator.ts';
import { makeIssueAdministratorToken } from './issue-administrator-token.ts';
import { makeIssueCode } from './issue-code.ts';
import { makeLinkIdentity, makeUnlinkIdentity } from './link-identity.ts';
import { makeListAdministratorTokens } from './list-administrator-tokens.ts';
import type { CommandDependencies } from './dependencies.ts';
import { makeLoadSignalStream } from './load-signal-stream.ts';
import { makeSessionsOf } from './list-sessions.ts';
import { makeNoteRefusal } from './note-refusal.ts';
import { makeNoteSwap } from './note-swap.ts';
import { makeOwnConsent } from './own-consent.ts';
import {
  makeAddPasskey,
  makePasskeyOptions,
  makePasskeysOf,
  makeRemovePasskey,
  makeRenamePasskey,
} from './passkeys.ts';
import { makeSignInWithPasskey } from './sign-in-with-passkey.ts';
import { makePasswordSetAt } from './password-set-at.ts';
import { repeatOnLeader } from './proven-log.ts';
import { makeReadAdministratorToken } from './read-administrator-token.ts';
import { makeReadOperatorToken } from './read-operator-token.ts';
import { makeReadSession } from './read-session.ts';
import { makeAuditRevisions, makeRecordAuditQuery } from './record-audit-query.ts';
import { makeRecordCommands } from './record.ts';
import { makeRefreshToken } from './refresh-token.ts';
import { makeRegisterAddon } from './register-addon.ts';
import { makeRememberedScopes } from './remembered-scopes.ts';
import { makeRenameOrganization } from './rename-organization.ts';
import { makeRetireAddon } from './retire-addon.ts';
import { makeRevokeAdministratorToken } from './revoke-administrator-token.ts';
import { makeRevokeToken } from './revoke-token.ts';
import { makeSetExternalId } from './set-external-id.ts';
import { makeSetEmail } from './set-email.ts';
import { makeSetPassword } from './set-password.ts';
import { makeRevokeGrantByOperator } from './revoke-grant.ts';
import { makeRevokeGrantOfOrganization } from './revoke-grant-of-organization.ts';
import { makeShowGrant } from './show-grant.ts';
import { makeShowActivation } from './show-activation.ts';
import { makeSignIn } from './sign-in.ts';
import { makeSignInWithProvider } from './sign-in-with-provider.ts';
import { makeEndProviderSessions } from './end-provider-sessions.ts';
import { makeSignOut } from './sign-out.ts';
import { makeSkipParkedEvent } from './skip-parked-event.ts';
import { makeGrantRole, makeRemoveRole } from './user-roles.ts';
import { makeRenameUser } from './rename-user.ts';
import { makeResumeAddon, makeSuspendAddon } from './suspend-addon.ts';
import { makeTokenOwner } from './token-owner.ts';
import { makeUnblockSignIn } from './unblock-sign-in.ts';
import { makeUpdateAddon } from './update-addon.ts';
import { makeWithdrawConsent } from './withdraw-consent.ts';

/**
 * The whole write side over one event store and one fence: one line for each command; `Commands` is derived from it.
 * Folded grants are cached for the next request.
 */
export const makeCommands = (
  given: CommandDependencies,
  addons: AddonDirectory = makeAddonDirectory(given),
) => {
  const dependencies = {
    ...given,
    addons,
    cache: makeGrantCache(given.grantCacheSize),
    auditRevisions: makeAuditRevisions(),
    addonGrants: given.addonGrants ?? noGrants,
    loadSignalStream: makeLoadSignalStream(given),
  };
  const onLeader = repeatOnLeader(given.store);
  return {
    registerAddon: makeRegisterAddon(dependencies),
    updateAddon: makeUpdateAddon(dependencies),
    applyAddonScopes: makeApplyAddonScopes(dependencies),
    retireAddon: onLeader(makeRetireAddon(dependencies)),
    suspendAddon: onLeader(makeSuspendAddon(dependencies)),
    resumeAddon: onLeader(makeResumeAddon(dependencies)),
    addAddonSecret: makeAddAddonSecret(dependencies),
    removeAddonSecret: makeRemoveAddonSecret(dependencies),
    listAddonSecrets: makeListAddonSecrets(dependencies),
    createSignalStream: makeCreateSignalStream(dependencies),
    changeSignalStream: makeChangeSignalStream(dependencies),
    setSignalStreamStatus: makeSetSignalStreamStatus(dependencies),
    pauseSignalStream: makePauseSignalStream(dependencies),
    replaySignalStream: makeReplaySignalStream(dependencies),
    deleteSignalStream: makeDeleteSignalStream(dependencies),
    findSignalStream: makeFindSignalStream(dependencies),
    signalChangesPausedUntil: makeSignalChangesPausedUntil(dependencies),
    createOrganization: makeCreateOrganization(dependencies),
    renameOrganization: makeRenameOrganization(dependencies),
    setExternalId: makeSetExternalId(dependencies),
    closeOrganization: makeCloseOrganization(dependencies),
    createUser: makeCreateUser(dependencies),
    disableUser: onLeader(makeDisableUser(dependencies)),
    enableUser: onLeader(makeEnableUser(dependencies)),
    eraseUser: onLeader(makeEraseUser(dependencies)),
    eraseProfile: makeEraseProfile(dependencies),
    renameUser: makeRenameUser(dependencies),
    setEmail: makeSetEmail(dependencies),
    isEmailVerified: makeIsEmailVerified(dependencies),
    grantRole: makeGrantRole(dependencies),
    removeRole: makeRemoveRole(dependencies),
    accountOfIdentity: makeAccountOfIdentity(dependencies),
    linkIdentity: makeLinkIdentity(dependencies),
    unlinkIdentity: makeUnlinkIdentity(dependencies),
    setPassword: makeSetPassword(dependencies),
    passwordSetAt: makePasswordSetAt(dependencies),
    changePassword: makeChangePassword(dependencies),
    inviteUser: makeInviteUser(dependencies),
    issuePasswordLink: makeIssuePasswordLink(dependencies),
    readPasswordLink: onLeader(makeReadPasswordLink(dependencies)),
    choosePassword: onLeader(makeChoosePassword(dependencies)),
    passkeyOptions: makePasskeyOptions(dependencies),
    passkeysOf: makePasskeysOf(dependencies),
    addPasskey: makeAddPasskey(dependencies),
    renamePasskey: makeRenamePasskey(dependencies),
    removePasskey: makeRemovePasskey(dependencies),
    addAdministrator: makeAddAdministrator(dependencies),
    removeAdministrator: makeRemoveAdministrator(dependencies),
    addAuditor: makeAddAuditor(dependencies),
    removeAuditor: makeRemoveAuditor(dependencies),
    isAuditor: makeIsAuditor(dependencies),
    recordAuditQuery: makeRecordAuditQuery(dependencies),
    signIn: makeSignIn(dependencies),
    signInWithPasskey: makeSignInWithPasskey(dependencies),
    signInWithProvider: makeSignInWithProvider(dependencies),
    endProviderSessions: makeEndProviderSessions(dependencies),
    unblockSignIn: makeUnblockSignIn(dependencies),
    readSession: onLeader(makeReadSession(dependencies)),
    signOut: makeSignOut(dependencies),
    sessionsOf: makeSessionsOf(dependencies),
    endSession: makeEndSession(dependencies),
    endSessions: makeEndSessions(dependencies),
    issueAdministratorToken: makeIssueAdministratorToken(dependencies),
    revokeAdministratorToken: makeRevokeAdministratorToken(dependencies),
    listAdministratorTokens: makeListAdministratorTokens(dependencies),
    readAdministratorToken: onLeader(makeReadAdministratorToken(dependencies)),
    readOperatorToken: onLeader(makeReadOperatorToken(dependencies)),
    findAddon: addons.find,
    currentAddon: addons.current,
    addonLogo: makeAddonLogo(dependencies),
    rememberedScopes: makeRememberedScopes(dependencies),
    approveScopes: makeApproveScopes(dependencies),
    ownConsent: makeOwnConsent(dependencies),
    withdrawConsent: onLeader(makeWithdrawConsent(dependencies)),
    issueCode: makeIssueCode(dependencies),
    exchangeCode: onLeader(makeExchangeCode(dependencies)),
    refreshToken: onLeader(makeRefreshToken(dependencies)),
    verifyAccessToken: makeVerifyAccessToken(dependencies),
    accessTokenHasExpired: makeAccessTokenHasExpired(dependencies),
    issueAddonToken: makeIssueAddonToken(dependencies),
    readAddonToken: makeReadAddonToken(dependencies),
    judgeAddonToken: onLeader(makeJudgeAddonToken(dependencies)),
    revokeToken: onLeader(makeRevokeToken(dependencies)),
    introspectToken: onLeader(makeIntrospectToken(dependencies)),
    tokenOwner: onLeader(makeTokenOwner(dependencies)),
    showGrant: makeShowGrant(dependencies),
    revokeGrantOfOrganization: onLeader(makeRevokeGrantOfOrganization(dependencies)),
    revokeGrant: onLeader(makeRevokeGrantByOperator(dependencies)),
    isAdministrator: makeIsAdministrator(dependencies),
    mayApproveFor: makeMayApproveFor(dependencies),
    noteRefusal: makeNoteRefusal(dependencies),
    showActivation: makeShowActivation(dependencies),
    activateAddon: onLeader(makeActivateAddon(dependencies)),
    deactivateAddon: onLeader(makeDeactivateAddon(dependencies)),
    ...makeRecordCommands(dependencies),
    noteSwap: makeNoteSwap(dependencies),
    skipParkedEvent: makeSkipParkedEvent(dependencies),
  };
};

const readModelsNeeded = (): never => {
  throw new Error('this command needs the read models');
};

/** For a write side without read models. */
const noGrants: AddonGrants = {
  catchUp: readModelsNeeded,
  outside: readModelsNeeded,
  own: readModelsNeeded,
  activatedFor: readModelsNeeded,
  countEnded: readModelsNeeded,
};
