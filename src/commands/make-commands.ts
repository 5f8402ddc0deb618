import { makeChoosePreferences } from './people/accounts/choose-preferences.ts';
import { makeChangePassword } from './people/credentials/change-password.ts';
import {
  makeChoosePassword,
  makeInviteUser,
  makeIssuePasswordLink,
  makeReadPasswordLink,
} from './people/credentials/password-links.ts';
import { makeOwnerOfExpired, makeVerifyAccessToken } from './credentials/access-token.ts';
import { type Command, completedIfKilled } from './kernel/unfinished-calls.ts';
import { makeAddonLogo, makeAddonDirectory, type AddonDirectory } from './addons/find-addon.ts';
import { makeIssueAddonToken, makeJudgeAddonToken, makeReadAddonToken } from './access/addon-tokens.ts';
import { makeAddAddonSecret, makeListAddonSecrets, makeRemoveAddonSecret } from './addons/addon-secrets.ts';
import { makeAddAdministrator, makeRemoveAdministrator } from './organizations/administrators.ts';
import { makeAccountOfIdentity } from './people/accounts/account-of-identity.ts';
import { makeActivateAddon } from './organizations/activate-addon.ts';
import { makeAddAuditor, makeIsAuditor, makeRemoveAuditor } from './organizations/auditors.ts';
import { catchUpInTime } from './access/end-addon-grants.ts';
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
import {
  makeNoteDeadLetterShown,
  makeNoteDeadLettersResent,
  makeResentDeadLetters,
} from './records/dead-letters.ts';
import { makeConfirmExpired, makeExpiredMessages, makeNoteExpired } from './records/expired-messages.ts';
import { makeEndSession, makeEndSessions } from './sign-in/end-sessions.ts';
import type { AddonGrants } from './access/addon-grants.ts';
import { makeEraseProfile } from './records/erase-profile.ts';
import { makeEraseUser } from './people/accounts/erase-user.ts';
import { makeFindNamedOrganization, makeOrganizationOf } from './organizations/find-named-organization.ts';
import { makeExchangeCode } from './access/exchange-code.ts';
import { makeUserOfAddress } from './people/accounts/find-account.ts';
import { makeFindSignalStream, makeLoadSignalStream } from './signals/load-signal-stream.ts';
import { makeSignalChangesPausedUntil } from './signals/limit-signal-changes.ts';
import { makeGrantCache } from './access/grant-cache.ts';
import { makeDescribeAccessToken, makeIntrospectToken } from './access/introspect-token.ts';
import { makeIsAdministrator, makeMayApproveFor } from './organizations/is-administrator.ts';
import { makeAllowCommandLine, makeExchangeCommandLineCode } from './people/tokens/command-line-sign-in.ts';
import { makeIssueAdministratorToken } from './people/tokens/issue-administrator-token.ts';
import { makeIssueCode } from './access/issue-code.ts';
import { makeLinkIdentity, makeUnlinkIdentity } from './people/accounts/link-identity.ts';
import { makeListAdministratorTokens } from './people/tokens/list-administrator-tokens.ts';
import type { GrantDependencies } from './access/dependencies.ts';
import type { CommandDependencies } from './kernel/dependencies.ts';
import type { AccountDependencies, CredentialDependencies } from './people/dependencies.ts';
import type { SignInDependencies } from './sign-in/dependencies.ts';
import { makeSessionsOf } from './sign-in/list-sessions.ts';
import { makeNoteRefusal } from './organizations/note-refusal.ts';
import { makeNoteSwap } from './log/note-swap.ts';
import { makeOwnApprovals, makeOwnConsent } from './access/own-consent.ts';
import {
  makeAddPasskey,
  makePasskeyOptions,
  makePasskeysOf,
  makeRemovePasskey,
  makeRenamePasskey,
} from './people/credentials/passkeys.ts';
import { makeSignInWithPasskey } from './sign-in/sign-in-with-passkey.ts';
import { makeRequestPasswordLink } from './people/credentials/request-password-link.ts';
import { makePasswordSetAt, makeSetPassword } from './people/credentials/set-password.ts';
import { repeatOnLeader } from './log/proven-log.ts';
import { makeNameAfterPublisher } from './publishers/addon-publisher.ts';
import {
  makeAddonChangesPausedUntil,
  makeApproveAddonChange,
  makeListAddonChanges,
  makeProposeAddonChange,
  makeRefuseAddonChange,
  makeWithdrawAddonChange,
} from './publishers/addon-changes.ts';
import { makeOwnAddon } from './publishers/own-addon.ts';
import { makeAddOwnAddonSecret, makeRemoveOwnAddonSecret } from './publishers/own-secrets.ts';
import {
  makeAddPublisherMember,
  makeCreatePublisher,
  makeIsPublisherMember,
  makeRemovePublisherMember,
  makeRenamePublisher,
} from './publishers/publishers.ts';
import { makeReadAdministratorToken } from './people/tokens/read-administrator-token.ts';
import { makeReadOperatorToken } from './people/tokens/read-operator-token.ts';
import { makeIsSessionCookie, makeReadSession } from './sign-in/read-session.ts';
import { makeRecentQuestions, makeRecordAuditQuery } from './log/record-audit-query.ts';
import { makeRecordCommands, type RecordDependencies } from './records/record.ts';
import { makeRefreshToken } from './access/refresh-token.ts';
import { makeRegisterAddon } from './addons/register-addon.ts';
import { makeRememberedScopes } from './access/remembered-scopes.ts';
import { makeRetireAddon } from './addons/retire-addon.ts';
import { makeRevokeAdministratorToken } from './people/tokens/revoke-administrator-token.ts';
import { makeRevokeToken, makeTokenOwner } from './access/revoke-token.ts';
import { makeUpdateOrganization } from './organizations/update-organization.ts';
import { makeUpdateUser } from './people/accounts/update-user.ts';
import { makeRevokeGrantByOperator, makeRevokeGrantOfOrganization } from './access/revoke-grant.ts';
import { makeShowGrant, makeShowGrants } from './access/show-grant.ts';
import { makeShowActivation } from './organizations/show-activation.ts';
import { makeSignIn } from './sign-in/sign-in.ts';
import { makeSignInWithProvider } from './sign-in/sign-in-with-provider.ts';
import { makeEndProviderSessions } from './sign-in/end-provider-sessions.ts';
import { makeSignOut } from './sign-in/sign-out.ts';
import { makeSkipParkedEvent } from './log/skip-parked-event.ts';
import { makeGrantRole, makeRemoveRole } from './people/accounts/user-roles.ts';
import { makeResumeAddon, makeSuspendAddon } from './addons/suspend-addon.ts';
import { makeUnblockSignIn } from './sign-in/unblock-sign-in.ts';
import { makeUpdateAddon } from './addons/update-addon.ts';
import { makeWithdrawConsent } from './access/withdraw-consent.ts';

type Own<Feature> = Omit<Feature, keyof CommandDependencies>;

/** What the write side is composed of, by feature. */
export type WriteSide = {
  readonly common: CommandDependencies;
  readonly access: Omit<Own<GrantDependencies>, 'cache'> & {
    /** How many grants are cached in their last known state, to save reads; 100,000 by default. */
    readonly grantCacheSize?: number;
    /** Without it, no add-on can be retired, and no removal of a scope can be applied to grants. */
    readonly addonGrants?: AddonGrants;
  };
  readonly accounts: Own<AccountDependencies>;
  readonly credentials: Own<CredentialDependencies>;
  readonly signIn: Own<SignInDependencies>;
  readonly records: Own<RecordDependencies>;
};

/** The write side over one event store and one fence, one line a command. Folded grants are cached for the next request. */
export const makeCommands = (
  given: WriteSide,
  addonDirectory: AddonDirectory = makeAddonDirectory(given.common),
) => {
  const { common } = given;
  const { grantCacheSize, addonGrants = noGrants, ...ofGrants } = given.access;
  const addons = { ...common, addons: addonDirectory, addonGrants };
  const grants = { ...addons, ...ofGrants, cache: makeGrantCache(grantCacheSize) };
  const people = { ...common, ...given.accounts, ...given.credentials };
  const signIn = { ...people, ...given.signIn };
  const signals = { ...addons, loadSignalStream: makeLoadSignalStream(common) };
  const onLeader = repeatOnLeader(common.store);
  const completed = <Request, Result>(name: string, run: Command<Request, Result>) =>
    completedIfKilled(common.unfinished, name, run);
  return {
    registerAddon: makeRegisterAddon(addons),
    updateAddon: makeUpdateAddon(addons),
    applyAddonScopes: completed('applyAddonScopes', makeApplyAddonScopes(grants)),
    catchUpWithGrants: () => catchUpInTime(grants.addonGrants),
    retireAddon: onLeader(makeRetireAddon(addons)),
    suspendAddon: onLeader(makeSuspendAddon(addons)),
    resumeAddon: onLeader(makeResumeAddon(addons)),
    addAddonSecret: makeAddAddonSecret(addons),
    removeAddonSecret: makeRemoveAddonSecret(addons),
    listAddonSecrets: makeListAddonSecrets(addons),
    createPublisher: makeCreatePublisher(common),
    renamePublisher: makeRenamePublisher(common),
    addPublisherMember: makeAddPublisherMember(common),
    removePublisherMember: makeRemovePublisherMember(common),
    isPublisherMember: makeIsPublisherMember(common),
    nameAfterPublisher: makeNameAfterPublisher(addons),
    ownAddon: makeOwnAddon(addons),
    addOwnAddonSecret: makeAddOwnAddonSecret(addons),
    removeOwnAddonSecret: makeRemoveOwnAddonSecret(addons),
    proposeAddonChange: makeProposeAddonChange(addons),
    withdrawAddonChange: makeWithdrawAddonChange(addons),
    approveAddonChange: makeApproveAddonChange(addons),
    refuseAddonChange: makeRefuseAddonChange(addons),
    listAddonChanges: makeListAddonChanges(addons),
    addonChangesPausedUntil: makeAddonChangesPausedUntil(addons),
    createSignalStream: makeCreateSignalStream(signals),
    changeSignalStream: makeChangeSignalStream(signals),
    setSignalStreamStatus: makeSetSignalStreamStatus(signals),
    pauseSignalStream: makePauseSignalStream(signals),
    replaySignalStream: makeReplaySignalStream(signals),
    deleteSignalStream: makeDeleteSignalStream(signals),
    findSignalStream: makeFindSignalStream(signals),
    signalChangesPausedUntil: makeSignalChangesPausedUntil(signals),
    createOrganization: makeCreateOrganization(common),
    updateOrganization: makeUpdateOrganization(common),
    closeOrganization: onLeader(makeCloseOrganization(common)),
    createUser: makeCreateUser(people),
    disableUser: onLeader(makeDisableUser(people)),
    enableUser: onLeader(makeEnableUser(people)),
    eraseUser: completed('eraseUser', onLeader(makeEraseUser(people))),
    eraseProfile: makeEraseProfile(people),
    updateUser: makeUpdateUser(people),
    choosePreferences: makeChoosePreferences(people),
    userOfAddress: makeUserOfAddress(people),
    grantRole: makeGrantRole(people),
    removeRole: makeRemoveRole(people),
    accountOfIdentity: makeAccountOfIdentity(people),
    linkIdentity: makeLinkIdentity(people),
    unlinkIdentity: makeUnlinkIdentity(people),
    setPassword: makeSetPassword(people),
    passwordSetAt: makePasswordSetAt(people),
    changePassword: makeChangePassword(signIn),
    inviteUser: makeInviteUser(people),
    issuePasswordLink: makeIssuePasswordLink(people),
    requestPasswordLink: makeRequestPasswordLink(signIn),
    readPasswordLink: onLeader(makeReadPasswordLink(people)),
    choosePassword: onLeader(makeChoosePassword(signIn)),
    passkeyOptions: makePasskeyOptions(people),
    passkeysOf: makePasskeysOf(people),
    addPasskey: makeAddPasskey(people),
    renamePasskey: makeRenamePasskey(people),
    removePasskey: makeRemovePasskey(people),
    addAdministrator: makeAddAdministrator(common),
    removeAdministrator: makeRemoveAdministrator(common),
    addAuditor: makeAddAuditor(common),
    removeAuditor: makeRemoveAuditor(common),
    isAuditor: makeIsAuditor(common),
    recordAuditQuery: makeRecordAuditQuery({ ...common, recentQuestions: makeRecentQuestions() }),
    signIn: makeSignIn(signIn),
    signInWithPasskey: makeSignInWithPasskey(signIn),
    signInWithProvider: makeSignInWithProvider(signIn),
    endProviderSessions: makeEndProviderSessions(signIn),
    unblockSignIn: makeUnblockSignIn(signIn),
    readSession: onLeader(makeReadSession(signIn)),
    isSessionCookie: makeIsSessionCookie(common),
    signOut: makeSignOut(signIn),
    sessionsOf: makeSessionsOf(signIn),
    endSession: makeEndSession(signIn),
    endSessions: makeEndSessions(signIn),
    issueAdministratorToken: makeIssueAdministratorToken(people),
    revokeAdministratorToken: makeRevokeAdministratorToken(people),
    allowCommandLine: makeAllowCommandLine(people),
    exchangeCommandLineCode: onLeader(makeExchangeCommandLineCode(people)),
    listAdministratorTokens: makeListAdministratorTokens(people),
    readAdministratorToken: onLeader(makeReadAdministratorToken(people)),
    readOperatorToken: onLeader(makeReadOperatorToken(people)),
    findAddon: addonDirectory.find,
    currentAddon: addonDirectory.current,
    addonLogo: makeAddonLogo(addons),
    rememberedScopes: makeRememberedScopes(grants),
    approveScopes: makeApproveScopes(grants),
    ownConsent: makeOwnConsent(grants),
    ownApprovals: makeOwnApprovals(grants),
    withdrawConsent: onLeader(makeWithdrawConsent(grants)),
    issueCode: makeIssueCode(grants),
    exchangeCode: onLeader(makeExchangeCode(grants)),
    refreshToken: onLeader(makeRefreshToken(grants)),
    verifyAccessToken: makeVerifyAccessToken(common),
    ownerOfExpired: makeOwnerOfExpired(common),
    issueAddonToken: makeIssueAddonToken(grants),
    readAddonToken: makeReadAddonToken(grants),
    judgeAddonToken: onLeader(makeJudgeAddonToken(grants)),
    revokeToken: onLeader(makeRevokeToken(grants)),
    introspectToken: onLeader(makeIntrospectToken(grants)),
    describeAccessToken: onLeader(makeDescribeAccessToken(grants)),
    tokenOwner: onLeader(makeTokenOwner(grants)),
    showGrant: makeShowGrant(grants),
    showGrants: makeShowGrants(grants),
    revokeGrantOfOrganization: onLeader(makeRevokeGrantOfOrganization(grants)),
    revokeGrant: onLeader(makeRevokeGrantByOperator(grants)),
    isAdministrator: makeIsAdministrator(common),
    mayApproveFor: makeMayApproveFor(common),
    findNamedOrganization: makeFindNamedOrganization(common),
    organizationOf: makeOrganizationOf(common),
    noteRefusal: makeNoteRefusal(common),
    showActivation: makeShowActivation(common),
    activateAddon: onLeader(makeActivateAddon(common)),
    deactivateAddon: onLeader(makeDeactivateAddon(common)),
    ...makeRecordCommands({ ...common, ...given.records }),
    noteSwap: makeNoteSwap(common),
    skipParkedEvent: makeSkipParkedEvent(common),
    noteDeadLettersResent: makeNoteDeadLettersResent(common),
    noteDeadLetterShown: makeNoteDeadLetterShown(common),
    resentDeadLetters: makeResentDeadLetters(common),
    noteExpired: makeNoteExpired(common),
    confirmExpired: makeConfirmExpired(common),
    expiredMessages: makeExpiredMessages(common),
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
