/** The pages are in English; its collation orders other scripts as Unicode's root collation does. */
const collator = new Intl.Collator('en', { numeric: true });

type Named = { readonly name: string };

/**
 * Rows in the order in which people look for names (UTS 10): case and accents decide last, "Pier 9" comes before "Pier 10".
 * Sorted here and not by the database, whose collations differ from server to server.
 * @param idOf parts rows of the same name, so that a list has one order
 */
export const byName = <Row extends Named>(rows: readonly Row[], idOf: (row: Row) => string): readonly Row[] =>
  rows.toSorted((a, b) => collator.compare(a.name, b.name) || (idOf(a) < idOf(b) ? -1 : 1));
