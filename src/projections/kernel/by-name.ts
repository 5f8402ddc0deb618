/** The pages are in English; this collation orders other scripts as Unicode's root collation does. */
const collator = new Intl.Collator('en', { numeric: true });

type Named = { readonly name: string };

/** As people expect names (UTS 10): case and accents last, "Pier 9" before "Pier 10"; not by the database's collation. Ties by `idOf`. */
export const byName = <Row extends Named>(rows: readonly Row[], idOf: (row: Row) => string): readonly Row[] =>
  rows.toSorted((a, b) => collator.compare(a.name, b.name) || (idOf(a) < idOf(b) ? -1 : 1));
