/** The pages are in English; this collation orders other scripts as Unicode's root collation does. */
const collator = new Intl.Collator('en', { numeric: true });

type Named = { readonly name: string };

/**
 * Sorts rows as people expect names to be sorted (UTS 10): case and accents decide last, "Pier 9" comes before "Pier
 * 10". Sorted here and not by the database, whose collations differ from server to server.
 * @param idOf orders rows of the same name, so that the order is always the same
 */
export const byName = <Row extends Named>(rows: readonly Row[], idOf: (row: Row) => string): readonly Row[] =>
  rows.toSorted((a, b) => collator.compare(a.name, b.name) || (idOf(a) < idOf(b) ? -1 : 1));
