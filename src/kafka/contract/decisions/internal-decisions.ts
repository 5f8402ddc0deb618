import { eachRecordEvent } from '../../../domain/records/each-record.ts';
import { internal } from '../publication.ts';

const account =
  'an account is about a person, and authorizes no add-on; what a disabling ends goes out grant by grant';
const signIn = 'whether and when a person signs in authorizes no add-on';
const administrator = "a person's own means to administer with; what is done with it goes out";
const ownToken = 'it opens nothing of an organization or a user, only what the add-on itself is told';
const audit = 'who looked at the history is for those who look into that; it authorizes no add-on';
const signingKey = 'the keys themselves are at /oauth/jwks; when each was valid is for auditors';
const signals =
  'how an add-on is told authorizes nothing; what it is told of is published, or not, by itself';
const record = 'it came from the host platform, which can tell of it itself, and is personal data';

export const internalDecisions = {
  AccountCreated: internal(account),
  PasswordSet: internal(account),
  PasswordLinkIssued: internal(account),
  AccountDisabled: internal(account),
  AccountEnabled: internal(account),
  AccountErased: internal(account),
  AccountRenamed: internal(account),
  AccountEmailChanged: internal(account),
  RoleGranted: internal(account),
  RoleRemoved: internal(account),
  IdentityLinked: internal(account),
  IdentityUnlinked: internal(account),
  PasskeyAdded: internal(account),
  PasskeyRenamed: internal(account),
  PasskeyRemoved: internal(account),
  OrganizationsMapped: internal(account),
  OperatorRemovalAllowed: internal(account),
  IdentityClaimed: internal(account),
  IdentityReleased: internal(account),
  EmailClaimed: internal(account),
  EmailReleased: internal(account),
  SignInBlocked: internal(signIn),
  SignInUnblocked: internal(signIn),
  SessionStarted: internal(signIn),
  SessionEnded: internal(signIn),
  SessionsEnded: internal(signIn),
  ActivationHandedOff: internal('it is how one browser gets from the activation to the add-on'),
  AdministratorTokenIssued: internal(administrator),
  AdministratorTokenRevoked: internal(administrator),
  AddonTokenIssued: internal(ownToken),
  AddonTokenRevoked: internal(ownToken),
  AuditQueried: internal(audit),
  ...eachRecordEvent(() => internal(record)),
  ProjectionSwapped: internal('how the read models are kept authorizes no add-on'),
  ParkedEventSkipped: internal('how the read models are kept authorizes no add-on'),
  LogHeadSigned: internal('it is about the log, not about anything in it, and is proved with it'),
  StreamsRemoved: internal('what is removed authorizes no add-on, and was published, or not, when it came'),
  LogCopied: internal('it is about the log, not about anything in it'),
  SignalStreamCreated: internal(signals),
  SignalStreamChanged: internal(signals),
  SignalStreamStatusChanged: internal(signals),
  SignalStreamReplayed: internal(signals),
  SignalStreamDeleted: internal(signals),
  SigningKeyMade: internal(signingKey),
  SigningKeyPublished: internal(signingKey),
  SigningKeyRetired: internal(signingKey),
};
