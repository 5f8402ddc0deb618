/** An item of a list of structured fields: a String with Integer parameters, the only form that limits use. */
export type LimitItem = { readonly name: string; readonly parameters: Readonly<Record<string, number>> };

const string = /"((?:[\x20-\x21\x23-\x5B\x5D-\x7E]|\\["\\])*)"/y;
const parameter = /; *([a-z*][a-z0-9_.*-]*)=(-?\d{1,15})(?![\d.])/y;
const comma = /[ \t]*,[ \t]*(?!$)/y;

/**
 * Parses a List as in RFC 9651 §4.2, limited to the forms of draft-ietf-httpapi-ratelimit-headers-11.
 * @throws at an invalid byte: a client ignores such a field completely
 */
export const readLimitItems = (field: unknown): readonly LimitItem[] => {
  if (typeof field !== 'string' || field === '') throw new Error(`no field: ${String(field)}`);
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(field);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const items: LimitItem[] = [];
  do {
    const name = next(string)?.[1];
    if (name === undefined) throw new Error(`no string at ${at} of ${field}`);
    const parameters: Record<string, number> = {};
    for (let found = next(parameter); found; found = next(parameter)) {
      const [, key = '', value] = found;
      parameters[key] = Number(value);
    }
    items.push({ name, parameters });
  } while (next(comma));
  if (at !== field.length) throw new Error(`left over at ${at} of ${field}`);
  return items;
};
