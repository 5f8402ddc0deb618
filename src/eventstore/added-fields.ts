import type { EventType } from '../domain/events.ts';
import type { AddedFields } from './envelope.ts';

/**
 * Fields that came to an event type without a new version of it: they are stored in the metadata, where an instance of the version
 * before passes over them, so that both run side by side (OP-11). Null is what they are in events that have none. For what
 * the older version can do without only; anything else is a new version of the schema, with an upcast.
 */
export const addedFields: { readonly [T in EventType]?: readonly string[] } = {
  TokensRefreshed: ['counts'],
};

/** Takes an event's data apart into what its version has and what came later; the second is null where all of it is null. */
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

/** What `splitAdded` has taken apart. */
export const joinAdded = (fields: readonly string[], data: unknown, added: AddedFields): unknown =>
  fields.length === 0
    ? data
    : { ...(data as object), ...Object.fromEntries(fields.map((name) => [name, added[name] ?? null])) };

type Values = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Values that came to a field without a new version of its event type, each with what the version before reads instead: the field
 * holds that, and the metadata the value itself.
 */
export const laterValues: { readonly [T in EventType]?: Values } = {
  GrantRevoked: { reason: { 'revoked-by-operator': 'revoked-by-addon' } },
};

/** Puts what the version before knows in the place of values that came later; they are `added`, null where there are none. */
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

/** What `splitLater` has taken apart. */
export const joinLater = (values: Values, data: unknown, added: AddedFields): unknown => {
  const later = Object.entries(added).filter(([name]) => Object.hasOwn(values, name));
  return later.length === 0 ? data : { ...(data as object), ...Object.fromEntries(later) };
};
