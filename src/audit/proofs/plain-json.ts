/**
 * Fields that could help to guess, derive or recognise a secret: never shown, in any event or state. An event with a
 * new field of this kind fails the test that checks all schemas.
 */
export const hiddenFields: ReadonlySet<string> = new Set([
  'salt',
  'passwordHash',
  'digest',
  'codeChallenge',
  'nonce',
]);

export const hidden = '(not shown)';

/** Plain JSON for people and scripts: maps as objects, 64-bit numbers as text, without hidden fields. */
export const plainJson = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return plainJson(Object.fromEntries(value));
  if (value instanceof Set) return [...value].map(plainJson);
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      hiddenFields.has(name) && inner !== null ? hidden : plainJson(inner),
    ]),
  );
};
