import { type OwnName, ownNames } from '../domain/signals/notice.ts';

const caep = 'https://schemas.openid.net/secevent/caep/event-type';
const risc = 'https://schemas.openid.net/secevent/risc/event-type';
const oauth = 'https://schemas.openid.net/secevent/oauth/event-type';
const ssf = 'https://schemas.openid.net/secevent/ssf/event-type';

/** The event types that others have defined: CAEP 1.0, RISC 1.0, OAuth Event Types, and SSF 1.0 §8.1.4 and §8.1.5. */
export const standardTypes = {
  sessionRevoked: `${caep}/session-revoked`,
  accountDisabled: `${risc}/account-disabled`,
  accountEnabled: `${risc}/account-enabled`,
  accountPurged: `${risc}/account-purged`,
  tokenRevoked: `${oauth}/token-revoked`,
  tokensRevoked: `${oauth}/tokens-revoked`,
} as const;

/** About the stream itself. Every receiver gets them, whatever it asked for. */
export const streamTypes = {
  streamUpdated: `${ssf}/stream-updated`,
  verification: `${ssf}/verification`,
} as const;

/** One of the event types that we define. */
export const ownType = (issuer: string, name: OwnName): string => `${issuer}/signals/${name}`;

/** That records of a list changed (AP-06): of no event, so it is none of `ownNames`. */
export const recordsChangedType = (issuer: string): string => `${issuer}/signals/records-changed`;

/** The format of a subject that is a grant: its members are `iss` and `grant_id`. */
export const grantFormat = (issuer: string): string => `${issuer}/signals/formats/grant`;

/** What a receiver may ask for (`events_supported` of SSF 1.0 §8.1.1). */
export const supportedTypes = (issuer: string): readonly string[] => [
  ...Object.values(standardTypes),
  ...ownNames.map((name) => ownType(issuer, name)),
  recordsChangedType(issuer),
];
