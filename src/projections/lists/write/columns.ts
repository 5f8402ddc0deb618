/** A column that a statement gets as one array, and where its values come from. */
export type Column<Row> = {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'json';
  readonly of: (row: Row) => string | number | bigint | null;
};

export const namesOf = <Row>(columns: readonly Column<Row>[]): string =>
  columns.map(({ name }) => name).join(', ');

/** Rows in the order of the columns, those of JSON last. `first`: number of the first parameter. */
export const rowsFrom = <Row>(columns: readonly Column<Row>[], first = 1): string => {
  const parameters = columns.map(({ type }, i) => ({ type, parameter: `$${i + first}` }));
  const arrays = parameters.filter(({ type }) => type !== 'json');
  const lists = parameters.filter(({ type }) => type === 'json');
  return `rows from (${[
    `unnest(${arrays.map(({ type, parameter }) => `${parameter}::${type}[]`).join(', ')})`,
    ...lists.map(({ parameter }) => `json_array_elements(${parameter}::json)`),
  ].join(', ')})`;
};

/** Numbers and JSON are joined here: the driver would look for quotes to escape in each of them. */
export const valuesOf = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): unknown[] =>
  columns.map(({ type, of }) => {
    if (type === 'text') return rows.map(of);
    if (type === 'json') return `[${rows.map(of).join(',')}]`;
    return `{${rows.map((row) => of(row) ?? 'NULL').join(',')}}`;
  });
