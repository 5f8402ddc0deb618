import type { AccessRight } from '../domain/access-right.ts';
import type { Role } from '../domain/account.ts';
import type { AudienceChange } from '../domain/addon-audiences.ts';
import type { AddSecretRefusal, RemoveSecretRefusal } from '../domain/addon-secrets.ts';
import type { Instant } from '../domain/decision.ts';
import type { ExchangeRefusal } from '../domain/grant-exchange.ts';
import type { RefreshRefusal } from '../domain/grant-refresh.ts';
import type { RevocationRefusal } from '../domain/grant-revoke.ts';
import type { GrantSubject } from '../domain/grant.ts';
import type { Profile } from '../domain/profile.ts';
import type { ParkedEventSkipped, ProjectionSwapEvent } from '../domain/projection-swap.ts';
import type { Reservation } from '../domain/reservation.ts';
import type { Scope } from '../domain/scope.ts';
import type { Position } from '../eventstore/event-store.ts';
import type { AccessTokenClaims } from './access-token.ts';
import type { AppointmentChanged, UserOfOrganization } from './change-organization.ts';
import type { DeactivationReceipt } from './deactivate-addon.ts';
import type { ExchangeCode } from './exchange-code.ts';
import type { Addon } from './find-addon.ts';
import type { Introspection } from './introspect-token.ts';
import type {
  IssueAdministratorToken,
  IssueAdministratorTokenRefusal,
  IssuedAdministratorToken,
} from './issue-administrator-token.ts';
import type { IssueCode } from './issue-code.ts';
import type { AdministratorTokenItem } from './list-administrator-tokens.ts';
import type { FieldProblem, Outcome } from './outcome.ts';
import type { AdministratorTokenHolder, AdministratorTokenRefusal } from './read-administrator-token.ts';
import type { OperatorTokenHolder, OperatorTokenRefusal } from './read-operator-token.ts';
import type { Session } from './read-session.ts';
import type { RecordAuditQuery } from './record-audit-query.ts';
import type { RecordOutcome, RecordRequest } from './record.ts';
import type { RefreshToken } from './refresh-token.ts';
import type { RegisterAddon } from './register-addon.ts';
import type { PresentedToken } from './revoke-token.ts';
import type { Activation } from './show-activation.ts';
import type { ShownGrant } from './show-grant.ts';
import type { SignInOrigin } from './sign-in-counting.ts';
import type { SignedIn } from './sign-in.ts';
import type { TokenPair } from './token-pair.ts';

/** The write side as http and cli see it. `compose.ts` builds it; one file in this room per command. */
export type Commands = {
  // Operators
  registerAddon(request: RegisterAddon): Promise<
    Outcome<{ readonly clientId: string; readonly clientSecret: string | null }, 'invalid'> & {
      readonly problems?: readonly FieldProblem[];
    }
  >;
  /** Which resources of other servers the add-on may ask for (CL-06). What is so already changes nothing. */
  changeAudiences(
    request: AudienceChange & { readonly addonId: string },
  ): Promise<
    Outcome<
      { readonly position: Position | null },
      'addon-unknown' | 'audience-invalid' | 'too-many-audiences'
    > & { readonly problems?: readonly FieldProblem[] }
  >;
  suspendAddon(addonId: string): Promise<Outcome<{ readonly position: Position | null }, 'addon-unknown'>>;
  resumeAddon(addonId: string): Promise<Outcome<{ readonly position: Position | null }, 'addon-unknown'>>;
  /** Another secret beside those that are valid (AD-02); it can be read here and nowhere else. */
  addAddonSecret(
    addonId: string,
  ): Promise<Outcome<{ readonly secretId: string; readonly clientSecret: string }, AddSecretRefusal>>;
  removeAddonSecret(request: {
    readonly addonId: string;
    readonly secretId: string;
  }): Promise<Outcome<null, RemoveSecretRefusal>>;
  /** The secrets that are valid now, oldest first; null for an unknown add-on. */
  listAddonSecrets(
    addonId: string,
  ): Promise<readonly { readonly secretId: string; readonly addedAt: Instant }[] | null>;
  createOrganization(request: { readonly name: string }): Promise<
    Outcome<{ readonly organizationId: string }, 'invalid'> & {
      readonly problems?: readonly FieldProblem[];
    }
  >;
  createUser(request: {
    readonly email: string;
    readonly name: string;
    readonly password: string;
    readonly administratorOf: readonly string[];
    /** Organizations whose history the user may read; needs the role `auditor`. */
    readonly auditorOf?: readonly string[];
    readonly roles: readonly Role[];
  }): Promise<
    Outcome<{ readonly userId: string }, 'email-taken' | 'organization-unknown' | 'invalid'> & {
      readonly problems?: readonly FieldProblem[];
    }
  >;
  /**
   * Ends every session of the user and every code and token of the user's own data, for good (RT-17); nobody signs in until
   * `enableUser`. An organization's grants live on (AC-03). Disabling twice changes nothing.
   */
  disableUser(userId: string): Promise<Outcome<{ readonly position: Position | null }, 'user-unknown'>>;
  /** The user may sign in again; what the disabling ended stays ended. */
  enableUser(
    userId: string,
  ): Promise<Outcome<{ readonly position: Position | null }, 'user-unknown' | 'user-erased'>>;
  /**
   * Disables the account for good, frees its e-mail address and destroys the key of what the log holds of the person. Erasing again
   * completes what was cut short. `addressKnown` is false when the key was lost before: then the claim on the address stays.
   */
  eraseUser(
    userId: string,
  ): Promise<
    Outcome<
      { readonly position: Position | null; readonly repeated: boolean; readonly addressKnown: boolean },
      'user-unknown'
    >
  >;
  /** Destroys the key of what the log holds of a profile's person; it takes no newer version. */
  eraseProfile(request: {
    readonly organizationId: string;
    readonly id: string;
  }): Promise<Outcome<{ readonly position: Position | null; readonly repeated: boolean }, 'profile-unknown'>>;

  /** Another password: every session of the user ends with it, on every instance. Administrator tokens live on. */
  setPassword(request: {
    readonly userId: string;
    readonly password: string;
    readonly reason?: string;
  }): Promise<
    Outcome<{ readonly position: Position | null }, 'user-unknown' | 'user-erased' | 'invalid'> & {
      readonly problems?: readonly FieldProblem[];
    }
  >;

  // Administrators
  /** Adding twice changes nothing. */
  addAdministrator(
    request: UserOfOrganization,
  ): Promise<Outcome<AppointmentChanged, 'organization-unknown' | 'user-unknown' | 'user-erased'>>;
  /**
   * From the answer on the user administers nothing of it any more, and the tokens for it have ended for good. Removing who
   * does not administer it changes nothing.
   */
  removeAdministrator(
    request: UserOfOrganization,
  ): Promise<Outcome<AppointmentChanged, 'organization-unknown' | 'user-unknown'>>;

  // Auditors
  /** Gives the organization's history to a user with the role `auditor`. Adding twice changes nothing. */
  addAuditor(
    request: UserOfOrganization,
  ): Promise<Outcome<AppointmentChanged, 'organization-unknown' | 'user-unknown' | 'not-an-auditor'>>;
  /** From the answer on the user sees nothing of it any more. Removing who is no auditor of it changes nothing. */
  removeAuditor(
    request: UserOfOrganization,
  ): Promise<Outcome<AppointmentChanged, 'organization-unknown' | 'user-unknown'>>;
  /** Whether the account has the role `auditor`, and the organization was given to it: from the log, as of now. */
  isAuditor(organizationId: string, userId: string): Promise<boolean>;
  /**
   * Notes a question about the history, before it is answered.
   * @throws EventStoreUnavailable, AppendOutcomeUnknown then there is no answer
   */
  recordAuditQuery(request: RecordAuditQuery): Promise<void>;

  // Sessions
  signIn(request: {
    readonly email: string;
    readonly password: string;
    /** Where it is tried from; null inside this process, where nothing is counted. */
    readonly from: SignInOrigin | null;
  }): Promise<
    Outcome<SignedIn, 'wrong-credentials' | 'too-many-attempts' | 'interaction-ended' | 'busy'> & {
      /** With `too-many-attempts`: whole seconds to wait. */
      readonly retryAfter?: number;
    }
  >;
  /** Lets an account that too many wrong passwords were tried on be signed in to at once. */
  unblockSignIn(userId: string): Promise<Outcome<{ readonly forgotten: number }, 'user-unknown'>>;
  /** Opens the session that a cookie carries; null for a forged, ended or expired one. */
  readSession(cookie: string): Promise<Session | null>;
  signOut(sessionId: string): Promise<void>;

  // Administrator tokens (AC-04)
  /** Makes a token with which a program does what the user may do as an administrator; it can be read here only. */
  issueAdministratorToken(request: IssueAdministratorToken): Promise<
    Outcome<IssuedAdministratorToken, IssueAdministratorTokenRefusal> & {
      readonly problems?: readonly FieldProblem[];
    }
  >;
  revokeAdministratorToken(request: {
    readonly userId: string;
    readonly tokenId: string;
    /** User id, or `operator`. */
    readonly by: string;
    readonly reason?: string;
  }): Promise<Outcome<null, 'token-unknown'>>;
  /** Those of the user that open something now, oldest first; from the log, and without what they are. */
  listAdministratorTokens(userId: string): Promise<readonly AdministratorTokenItem[]>;
  /**
   * Whose a token is, if it opens anything now. Whether its user administers an organization is asked of
   * `isAdministrator`, as for a session. A forged or expired one costs no I/O.
   */
  readAdministratorToken(
    token: string,
  ): Promise<Outcome<AdministratorTokenHolder, AdministratorTokenRefusal>>;

  /**
   * Who signed in to the command line, or whose administrator token a program of an operator uses, if it opens anything now (HI-06).
   * Which roles that takes is the caller's to say.
   */
  readOperatorToken(token: string): Promise<Outcome<OperatorTokenHolder, OperatorTokenRefusal>>;

  // Authorization
  /** Null for an unknown client. May be up to 5 s old; suspension is always judged by the fence. */
  findAddon(addonId: string): Promise<Addon | null>;
  /** Scopes that this user approved for this add-on, subject and all of the audiences, in the subject's present epoch. */
  rememberedScopes(request: {
    readonly userId: string;
    readonly addonId: string;
    readonly subject: GrantSubject;
    /** Resources, our own API by its name; that one alone by default. */
    readonly audiences?: readonly string[];
  }): Promise<readonly Scope[]>;
  approveScopes(request: {
    readonly userId: string;
    readonly addonId: string;
    readonly subject: GrantSubject;
    readonly scopes: readonly Scope[];
    /** As for `rememberedScopes`. */
    readonly audiences?: readonly string[];
  }): Promise<void>;
  /**
   * The user's own data as the subject of a grant, at the epoch that holds now, and what the user approved in it. The
   * same as `rememberedScopes`, for the one subject that only the log can make.
   */
  ownConsent(request: {
    readonly userId: string;
    readonly addonId: string;
    readonly audiences?: readonly string[];
  }): Promise<{
    readonly subject: Extract<GrantSubject, { readonly kind: 'user' }>;
    readonly remembered: readonly Scope[];
  }>;
  /**
   * Ends every grant of the user's own data for the add-on and forgets what was approved: the next authorize asks
   * again, and nothing of before ever works again. With `organizationId` it forgets what this user approved for the
   * organization, and nothing else: its grants live on (AC-03). Where nothing was approved, nothing changes.
   */
  withdrawConsent(request: {
    readonly userId: string;
    readonly addonId: string;
    readonly organizationId?: string;
  }): Promise<Outcome<{ readonly position: Position | null }, 'addon-unknown'>>;
  issueCode(
    request: IssueCode,
  ): Promise<
    Outcome<
      { readonly code: string },
      'addon-not-active' | 'addon-suspended' | 'consent-withdrawn' | 'on-hold'
    >
  >;
  exchangeCode(request: ExchangeCode): Promise<Outcome<TokenPair, ExchangeRefusal>>;
  refreshToken(request: RefreshToken): Promise<
    Outcome<TokenPair, RefreshRefusal> & {
      /** With `rotated-too-often`: whole seconds to wait. */
      readonly retryAfter?: number;
    }
  >;
  /** MAC and expiry only, no I/O: the fence is judged in the snapshot of the guarded read. */
  verifyAccessToken(token: string): AccessTokenClaims | null;
  /** Whether a string that `openAccessToken` refused is a token of ours that has merely expired (LI-10). No I/O. */
  accessTokenHasExpired(token: string): boolean;
  /** The add-on that a token was issued to; null for what is no token of ours. A forged one costs no I/O. */
  tokenOwner(token: string): Promise<string | null>;
  /**
   * Ends what a token stands for: a refresh token its whole grant, an access token only itself (RV-05). Giving back
   * what is no token of ours, or no longer one, changes nothing and is no refusal (RV-01).
   */
  revokeToken(
    request: PresentedToken,
  ): Promise<Outcome<'revoked' | 'nothing-to-revoke', Exclude<RevocationRefusal, 'token-unknown'>>>;
  /**
   * What a token stands for now, for the add-on that it belongs to and, of an access token, for one that answers for
   * one of its resources (`audiences`); null for everybody else, and when it opens nothing (IN-05).
   */
  introspectToken(
    request: PresentedToken & { readonly audiences: readonly string[] },
  ): Promise<Introspection | null>;

  // Grants, for operators
  /** A grant as it is now, whatever the read models know; null for an unknown one. @throws StreamUnreadable */
  showGrant(grantId: string): Promise<ShownGrant | null>;
  /** Ends a grant: from the answer on its code and tokens are refused. `changed` is false where it had ended by itself before. */
  revokeGrant(request: {
    readonly grantId: string;
    /** Why, for the history. */
    readonly reason?: string;
  }): Promise<Outcome<{ readonly changed: boolean; readonly position: Position | null }, 'grant-unknown'>>;

  // Activation, for the organization's administrators and operators
  /** Whether the user administers the organization, from its stream. */
  isAdministrator(organizationId: string, userId: string): Promise<boolean>;
  showActivation(organizationId: string, addonId: string): Promise<Activation>;
  /**
   * Remembers that an administrator's authorization was refused because the organization had deactivated the add-on:
   * at most once an hour for each administrator (AZ-23).
   */
  noteRefusal(request: {
    readonly organizationId: string;
    readonly addonId: string;
    readonly userId: string;
  }): Promise<void>;
  activateAddon(request: {
    readonly organizationId: string;
    readonly addonId: string;
    readonly by: string;
    /** The session that gets the hand-off record (AC-01); null from the CLI and with an administrator token. */
    readonly sessionId: string | null;
    /** Of the administrator token that it is done with. */
    readonly tokenId?: string | null;
    /** Whether an operator does it, whoever that is: then there is no limit. */
    readonly asOperator?: boolean;
  }): Promise<
    Outcome<
      { readonly epoch: number; readonly configurationUrl: string; readonly position: Position },
      | 'addon-unknown'
      | 'organization-unknown'
      | 'configuration-url-missing'
      | 'addon-suspended'
      | 'activated-too-often'
    > & {
      /** How long it stays so when it was activated too often. A deactivation is never refused for that. */
      readonly until?: Instant;
    }
  >;
  deactivateAddon(request: {
    readonly organizationId: string;
    readonly addonId: string;
    readonly by: string;
    /** Of the administrator token that it is done with. */
    readonly tokenId?: string | null;
  }): Promise<Outcome<DeactivationReceipt, 'addon-unknown' | 'organization-unknown' | 'never-activated'>>;

  // Records of the host platform
  recordProfile(request: RecordRequest<Profile>): Promise<RecordOutcome>;
  recordReservation(request: RecordRequest<Reservation>): Promise<RecordOutcome>;
  recordAccessRight(request: RecordRequest<AccessRight>): Promise<RecordOutcome>;

  /** Remembers that another version of a read model is read; telling the same swap again changes nothing. */
  noteSwap(swap: ProjectionSwapEvent['data']): Promise<void>;
  /** Remembers that a read model leaves an event out for good; doing so again changes nothing. */
  skipParkedEvent(
    skipped: Omit<ParkedEventSkipped['data'], 'at'> & { readonly reason?: string },
  ): Promise<void>;
};

/** The commands that may append: what they append can say in which trace it was decided. */
type Deciding = Exclude<
  keyof Commands,
  | 'listAddonSecrets'
  | 'readSession'
  | 'listAdministratorTokens'
  | 'readAdministratorToken'
  | 'readOperatorToken'
  | 'findAddon'
  | 'rememberedScopes'
  | 'ownConsent'
  | 'verifyAccessToken'
  | 'accessTokenHasExpired'
  | 'introspectToken'
  | 'showGrant'
  | 'tokenOwner'
  | 'isAdministrator'
  | 'isAuditor'
  | 'showActivation'
>;

/** The commands for callers that always know in which trace they act (`traceparent`). */
export type CommandsInTraces = {
  readonly [N in keyof Commands]: N extends Deciding
    ? (request: Parameters<Commands[N]>[0], traceparent: string) => ReturnType<Commands[N]>
    : Commands[N];
};

/** For both: those that know it, and those that do not. */
export type TraceableCommands = Commands & CommandsInTraces;
