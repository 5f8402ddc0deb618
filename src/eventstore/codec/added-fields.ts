import type { EventType } from '../../domain/events.ts';
import type { AddedFields } from './envelope.ts';

/**
 * Fields that were added to an event type without a new version. They are stored in the metadata, where an instance of
 * the previous version ignores them, so that both versions run side by side (OP-11). They are null in events without
 * them. Only for fields that the previous version can do without; anything else needs a new schema version with an
 * upcast.
 */
export const addedFields: { readonly [T in EventType]?: readonly string[] } = {
  TokensRefreshed: ['counts'],
  AccountCreated: ['emailVouchedBy'],
  AccountEmailChanged: ['emailVouchedBy'],
  PasswordSet: ['ended'],
  AdministratorTokenIssued: ['madeBy'],
  SessionStarted: ['device', 'network', 'upstream', 'passkey'],
  AuthorizationCodeIssued: ['authentication', 'exact'],
  AdministratorAdded: ['source'],
  AdministratorRemoved: ['source'],
  OrganizationsMapped: ['signedOut'],
  ScopesApproved: ['choice'],
  AudienceApproved: ['choice'],
};

/** Splits an event's data into the fields of its version and the added fields; the second part is null if all of them are null. */
export const splitAdded = (
  fields: readonly string[],
  data: object,
): { readonly data: object; readonly added: AddedFields | null } => {
  if (fields.length === 0) return { data, added: null };
  const entries = Object.entries(data);
  const isAdded = ([name]: readonly [string, unknown]) => fields.includes(name);
  const added = entries.filter((entry) => isAdded(entry) && entry[1] !== null);
  return {
    data: Object.fromEntries(entries.filter((entry) => !isAdded(entry))),
    added: added.length > 0 ? Object.fromEntries(added) : null,
  };
};

/** Reverses `splitAdded`. */
export const joinAdded = (fields: readonly string[], data: unknown, added: AddedFields): unknown =>
  fields.length === 0
    ? data
    : { ...(data as object), ...Object.fromEntries(fields.map((name) => [name, added[name] ?? null])) };

type Values = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Values that were added to a field without a new version of its event type, each with a replacement that the previous
 * version knows: the field stores the replacement, the metadata the value itself.
 */
export const laterValues: { readonly [T in EventType]?: Values } = {
  GrantRevoked: {
    reason: {
      'revoked-by-operator': 'revoked-by-addon',
      'scope-removed': 'revoked-by-addon',
      'redirect-uri-removed': 'revoked-by-addon',
      'role-lost': 'revoked-by-addon',
      'addon-retired': 'revoked-by-addon',
    },
  },
};

/** Replaces added values by those that the previous version knows; the originals are in `added`, null if there are none. */
export const splitLater = (
  values: Values,
  data: object,
): { readonly data: object; readonly added: AddedFields | null } => {
  const later = Object.entries(data).filter(([name, value]) =>
    Object.hasOwn(values[name] ?? {}, String(value)),
  );
  if (later.length === 0) return { data, added: null };
  const standIns = later.map(([name, value]) => [name, values[name]?.[String(value)]] as const);
  return { data: { ...data, ...Object.fromEntries(standIns) }, added: Object.fromEntries(later) };
};

/** Reverses `splitLater`. */
export const joinLater = (values: Values, data: unknown, added: AddedFields): unknown => {
  const later = Object.entries(added).filter(([name]) => Object.hasOwn(values, name));
  return later.length === 0 ? data : { ...(data as object), ...Object.fromEntries(later) };
};
