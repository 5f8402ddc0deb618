import { profile } from './records/profile.ts';
import type { RecordResource } from './records/record-resources.ts';

/**
 * Names are `category-id`, split at the first dash; no category is a prefix of another. Our ids are ULIDs; records have the host
 * platform's (`recordId`), unique within an organization: all that follows the first dot (ADR 85).
 */
export const addonStream = (addonId: string) => `addon-${addonId}` as const;
export const activationStream = (organizationId: string, addonId: string) =>
  `activation-${organizationId}.${addonId}` as const;
export const grantStream = (grantId: string) => `grant-${grantId}` as const;
/** `subjectId` is the organization or the user whose data the approved scopes open. */
export const consentStream = (subjectId: string, addonId: string) =>
  `consent-${subjectId}.${addonId}` as const;
export const accountStream = (userId: string) => `account-${userId}` as const;
/** Who offers add-ons, and who may look after these. */
export const publisherStream = (publisherId: string) => `publisher-${publisherId}` as const;
/** One stream per e-mail address, so that an address is claimed once; `digest` is hexadecimal SHA-256. */
export const emailStream = (digest: string) => `email-${digest}` as const;
/** One stream per external id, so that an organization is found by it once; `digest` is hexadecimal SHA-256. */
export const externalIdStream = (digest: string) => `externalId-${digest}` as const;
/** One stream per identity of a provider, so that it is claimed once; `digest` is a hexadecimal HMAC-SHA256. */
export const identityStream = (digest: string) => `identity-${digest}` as const;
/** All administrator tokens of one user, separate from the account, which every sign-in reads. */
export const administratorTokensStream = (userId: string) => `administratorTokens-${userId}` as const;
/** One token that an add-on took for itself. Named after client credentials: `addon` must be no prefix of another category. */
export const addonTokenStream = (tokenId: string) => `clientToken-${tokenId}` as const;
/** The audit queries of one auditor; `by` is a user id, or `break-glass`, whose dash is an underscore here. */
export const auditStream = (by: string) => `audit-${by.replace('-', '_')}` as const;
export const sessionStream = (sessionId: string) => `session-${sessionId}` as const;
export const organizationStream = (organizationId: string) => `organization-${organizationId}` as const;
export const recordStream = <const C extends string>(
  { category }: { readonly category: C },
  organizationId: string,
  id: string,
) => `${category}-${organizationId}.${id}` as const;
export const profileStream = (organizationId: string, id: string) =>
  recordStream(profile, organizationId, id);
/** Events about a read model itself, by its name; a dash in a name is an underscore here. */
export const projectionStream = (projection: string) =>
  `projection-${projection.replaceAll('-', '_')}` as const;
export const logHeadStream = 'logHead-log' as const;
/** Records that the whole log was copied from another one. */
export const logCopyStream = 'logCopy-log' as const;
/** All keys that sign id_tokens, log heads and exports: there are few, and one stream orders them. */
export const signingKeyStream = 'signingKey-log' as const;

/** The SSF stream that tells an add-on what happens to its access: one per add-on, though an add-on may replace it. */
export const signalStream = (addonId: string) => `signalStream-${addonId}` as const;

/** What documented retention removes from the log, announced before it is removed. */
export const retentionStream = 'retention-log' as const;

/** What operators did with dead letters of Kafka: few of them, so one stream. */
export const deadLettersStream = 'deadLetters-log' as const;

/** Messages of the host platform that expired unread, and which of them operators have dealt with. */
export const expiredMessagesStream = 'expiredMessages-log' as const;

/** Decides which operator may be removed: the last one stays. One stream orders these decisions. */
export const operatorsStream = 'operators-log' as const;

export type StreamName =
  | ReturnType<typeof addonStream>
  | ReturnType<typeof activationStream>
  | ReturnType<typeof grantStream>
  | ReturnType<typeof consentStream>
  | ReturnType<typeof accountStream>
  | ReturnType<typeof emailStream>
  | ReturnType<typeof externalIdStream>
  | ReturnType<typeof identityStream>
  | ReturnType<typeof administratorTokensStream>
  | ReturnType<typeof addonTokenStream>
  | ReturnType<typeof auditStream>
  | ReturnType<typeof sessionStream>
  | ReturnType<typeof organizationStream>
  | ReturnType<typeof publisherStream>
  | ReturnType<typeof recordStream<RecordResource['category']>>
  | ReturnType<typeof projectionStream>
  | typeof logHeadStream
  | typeof logCopyStream
  | typeof signingKeyStream
  | ReturnType<typeof signalStream>
  | typeof retentionStream
  | typeof deadLettersStream
  | typeof expiredMessagesStream
  | typeof operatorsStream;
