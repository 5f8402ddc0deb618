import { makeChangePassword } from './people/credentials/change-password.ts';
import {
  makeChoosePassword,
  makeInviteUser,
  makeIssuePasswordLink,
  makeReadPasswordLink,
} from './people/credentials/password-links.ts';
import { makeAccessTokenHasExpired, makeVerifyAccessToken } from './credentials/access-token.ts';
import { makeAddonLogo } from './addons/addon-logo.ts';
import { makeIssueAddonToken, makeJudgeAddonToken, makeReadAddonToken } from './access/addon-tokens.ts';
import { makeAddAddonSecret, makeListAddonSecrets, makeRemoveAddonSecret } from './addons/addon-secrets.ts';
import { makeAddAdministrator, makeRemoveAdministrator } from './organizations/administrators.ts';
import { makeAccountOfIdentity } from './people/accounts/account-of-identity.ts';
import { makeActivateAddon } from './organizations/activate-addon.ts';
import { makeAddAuditor, makeIsAuditor, makeRemoveAuditor } from './organizations/auditors.ts';
import { makeApplyAddonScopes } from './access/apply-addon-scopes.ts';
import { makeApproveScopes } from './access/approve-scopes.ts';
import {
  makeChangeSignalStream,
  makeDeleteSignalStream,
  makePauseSignalStream,
  makeReplaySignalStream,
  makeSetSignalStreamStatus,
} from './signals/change-signal-stream.ts';
import { makeCloseOrganization } from './organizations/close-organization.ts';
import { makeCreateOrganization } from './organizations/create-organization.ts';
import { makeCreateSignalStream } from './signals/create-signal-stream.ts';
import { makeCreateUser } from './people/accounts/create-user.ts';
import { makeDeactivateAddon } from './organizations/deactivate-addon.ts';
import { makeDisableUser, makeEnableUser } from './people/accounts/disable-user.ts';
import { makeEndSession, makeEndSessions } from './sign-in/end-sessions.ts';
import type { AddonGrants } from './access/addon-grants.ts';
import { makeEraseProfile } from './records/erase-profile.ts';
import { makeEraseUser } from './people/accounts/erase-user.ts';
import { makeExchangeCode } from './access/exchange-code.ts';
import { makeAddonDirectory, type AddonDirectory } from './addons/find-addon.ts';
import { makeIsEmailVerified } from './people/accounts/find-account.ts';
import { makeFindSignalStream } from './signals/find-signal-stream.ts';
import { makeSignalChangesPausedUntil } from './signals/limit-signal-changes.ts';
import { makeGrantCache } from './access/grant-cache.ts';
import { makeIntrospectToken } from './access/introspect-token.ts';
import { makeIsAdministrator, makeMayApproveFor } from './organizations/is-administrator.ts';
import { makeIssueAdministratorToken } from './people/tokens/issue-administrator-token.ts';
import { makeIssueCode } from './access/issue-code.ts';
import { makeLinkIdentity, makeUnlinkIdentity } from './people/accounts/link-identity.ts';
import { makeListAdministratorTokens } from './people/tokens/list-administrator-tokens.ts';
import type { CommandDependencies } from './kernel/dependencies.ts';
import { makeLoadSignalStream } from './signals/load-signal-stream.ts';
import { makeSessionsOf } from './sign-in/list-sessions.ts';
import { makeNoteRefusal } from './organizations/note-refusal.ts';
import { makeNoteSwap } from './log/note-swap.ts';
import { makeOwnConsent } from './access/own-consent.ts';
import {
  makeAddPasskey,
  makePasskeyOptions,
  makePasskeysOf,
  makeRemovePasskey,
  makeRenamePasskey,
} from './people/credentials/passkeys.ts';
import { makeSignInWithPasskey } from './sign-in/sign-in-with-passkey.ts';
import { makePasswordSetAt } from './people/credentials/password-set-at.ts';
import { repeatOnLeader } from './log/proven-log.ts';
import { makeReadAdministratorToken } from './people/tokens/read-administrator-token.ts';
import { makeReadOperatorToken } from './people/tokens/read-operator-token.ts';
import { makeReadSession } from './sign-in/read-session.ts';
import { makeAuditRevisions, makeRecordAuditQuery } from './log/record-audit-query.ts';
import { makeRecordCommands } from './records/record.ts';
import { makeRefreshToken } from './access/refresh-token.ts';
import { makeRegisterAddon } from './addons/register-addon.ts';
import { makeRememberedScopes } from './access/remembered-scopes.ts';
import { makeRenameOrganization } from './organizations/rename-organization.ts';
import { makeRetireAddon } from './addons/retire-addon.ts';
import { makeRevokeAdministratorToken } from './people/tokens/revoke-administrator-token.ts';
import { makeRevokeToken } from './access/revoke-token.ts';
import { makeSetExternalId } from './organizations/set-external-id.ts';
import { makeSetEmail } from './people/accounts/set-email.ts';
import { makeSetPassword } from './people/credentials/set-password.ts';
import { makeRevokeGrantByOperator } from './access/revoke-grant.ts';
import { makeRevokeGrantOfOrganization } from './access/revoke-grant-of-organization.ts';
import { makeShowGrant } from './access/show-grant.ts';
import { makeShowActivation } from './organizations/show-activation.ts';
import { makeSignIn } from './sign-in/sign-in.ts';
import { makeSignInWithProvider } from './sign-in/sign-in-with-provider.ts';
import { makeEndProviderSessions } from './sign-in/end-provider-sessions.ts';
import { makeSignOut } from './sign-in/sign-out.ts';
import { makeSkipParkedEvent } from './log/skip-parked-event.ts';
import { makeGrantRole, makeRemoveRole } from './people/accounts/user-roles.ts';
import { makeRenameUser } from './people/accounts/rename-user.ts';
import { makeResumeAddon, makeSuspendAddon } from './addons/suspend-addon.ts';
import { makeTokenOwner } from './access/token-owner.ts';
import { makeUnblockSignIn } from './sign-in/unblock-sign-in.ts';
import { makeUpdateAddon } from './addons/update-addon.ts';
import { makeWithdrawConsent } from './access/withdraw-consent.ts';

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
