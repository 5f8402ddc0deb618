/** From where a list goes on: behind a value and an id, in the order in which it was sorted. */
export type ListCursor = {
  /** As it was asked for, such as `-name`; empty: by id, the order in which things were made. */
  readonly sort: string;
  /** What it is sorted by, as the last entry had it; empty where that is the id. */
  readonly value: string;
  readonly id: string;
};

/** Of a list by id it is the id. */
export const cursorText = ({ sort, value, id }: ListCursor): string =>
  sort === '' ? id : `${sort}.${Buffer.from(value).toString('base64url')}.${id}`;

/** What a client sent as a cursor; null for what can be none. Whether the id is one is not looked at. */
export const readCursor = (text: string): ListCursor | null => {
  const [first = '', encoded, id, ...others] = text.split('.');
  if (encoded === undefined) return { sort: '', value: '', id: first };
  if (first === '' || id === undefined || others.length > 0) return null;
  const cursor = { sort: first, value: Buffer.from(encoded, 'base64url').toString(), id };
  return cursor.value.includes('\0') || cursorText(cursor) !== text ? null : cursor;
};
