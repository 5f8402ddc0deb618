import { changeFields, changeShape } from '../../tasks/addons/addon-changes.ts';
import { bodyOf } from '../../tasks/fields.ts';
import { replayFields } from '../../tasks/publishing.ts';
import * as published from '../../tasks/publishing/answers.ts';
import type { z } from 'zod';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import * as activations from '../../tasks/organizations/activation-answers.ts';
import * as audit from './audit.ts';
import * as commandLine from './command-line.ts';
import * as discovery from './discovery.ts';
import { grantOfToken } from './grant.ts';
import * as health from './health.ts';
import * as imports from './import.ts';
import * as lists from './list-page.ts';
import * as providers from './provider-forms.ts';
import * as polls from './poll.ts';
import * as problems from './problem.ts';
import { managedAnswers, managedBodies, type ManagedName } from './managed.ts';
import { recordItem } from './records.ts';
import * as signals from './signal-streams.ts';
import * as tokens from './token.ts';
import * as tokenForms from './token-parameters.ts';
import { logoutParameters } from './logout-parameters.ts';
import { authorizeParameters } from './authorize-parameters.ts';

const records = eachRecord('name', recordItem);

const recordPages = Object.fromEntries(
  Object.entries(records).map(([name, item]) => [`${name}Page`, lists.pageOf(item)]),
) as { readonly [N in `${RecordResource['name']}Page`]: ReturnType<typeof lists.pageOf> };

export const answerSchemas = {
  ...managedAnswers,
  ...records,
  ...recordPages,
  Grant: grantOfToken,
  Pagination: lists.pagination,
  Link: lists.link,
  Tokens: tokens.tokenAnswer,
  TokenError: tokens.tokenError,
  Introspection: tokens.introspection,
  ActiveToken: tokens.activeToken,
  ActiveOwnToken: tokens.activeOwnToken,
  InactiveToken: tokens.inactiveToken,
  UserInfo: discovery.userInfo,
  Metadata: discovery.metadata,
  ProtectedResource: discovery.protectedResource,
  KeySet: discovery.jwks,
  Key: discovery.jwk,
  OrganizationAddons: activations.organizationAddons,
  OrganizationAddon: activations.organizationAddon,
  Activation: activations.activation,
  Activated: activations.activated,
  DeactivationReceipt: activations.deactivationReceipt,
  ActiveOrganizations: published.activeOrganizations,
  AddonSecrets: published.addonSecrets,
  AddedSecret: published.addedSecret,
  AddonChange: changeShape,
  AddonChanges: published.addonChanges,
  AddonRefusals: published.addonRefusals,
  AddonUsage: published.addonUsage,
  AuditedOrganizations: audit.auditedOrganizations,
  Timeline: audit.timelinePage,
  TimelineEntry: audit.timelineEntry,
  Grants: audit.grantBars,
  PollAnswer: polls.pollAnswer,
  SignalStream: signals.streamConfiguration,
  SignalStreamOrAll: signals.streamOrAll,
  SignalStreamStatus: signals.streamStatus,
  SsfConfiguration: signals.ssfConfiguration,
  AuditAnswer: audit.auditAnswer,
  Imported: imports.imported,
  Shown: imports.shown,
  OperatorToken: commandLine.operatorToken,
  CommandLineToken: commandLine.commandLineToken,
  Problem: problems.problem,
  ParameterError: problems.parameterError,
  Liveness: health.liveness,
  Readiness: health.readiness,
} as const satisfies Record<string, z.ZodType>;

const ownForms = {
  AuthorizationRequest: authorizeParameters,
  ExchangeForm: tokenForms.exchangeForm,
  RefreshForm: tokenForms.refreshForm,
  ClientCredentialsForm: tokenForms.clientCredentialsForm,
  TokenForm: tokenForms.tokenForm,
  UserInfoForm: tokenForms.userInfoForm,
  PollForm: polls.pollForm,
  CreateSignalStreamForm: signals.createStreamForm,
  ChangeSignalStreamForm: signals.changeStreamForm,
  SignalStreamStatusForm: signals.streamStatusForm,
  VerifySignalStreamForm: signals.verifyForm,
  PresentedToken: tokenForms.presentedTokenForm,
  AddonChangeForm: bodyOf(changeFields),
  ReplaySignalsForm: replayFields,
  SignOutRequest: logoutParameters,
  CommandLineCodeForm: commandLine.commandLineCodeForm,
  BackchannelLogoutForm: providers.backchannelLogoutForm,
} as const satisfies Record<string, z.ZodType>;

/** Schemas of what callers send: unknown fields are ignored, except by the operators' API, and defaults may be left out. */
export const formSchemas: typeof ownForms & Readonly<Record<ManagedName, z.ZodObject>> = {
  ...ownForms,
  ...managedBodies,
};

export type AnswerName = keyof typeof answerSchemas | ManagedName;
export type FormName = keyof typeof ownForms | ManagedName;
export type ComponentName = AnswerName | FormName;
