import { writeFileSync } from 'node:fs';
import Table from 'cli-table3';

/** One line of the result table. `ceiling` is measured in the same run by simpler means; `ratio` = value / ceiling. */
export type Result = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly ceiling: number | null;
  readonly ratio: number | null;
  /** The number of measured operations. */
  readonly n: number;
  /** A remark in the printed table, such as an aim that was missed; not in the file. */
  readonly note?: string;
};

export const result = (
  name: string,
  value: number,
  unit: string,
  n: number,
  ceiling: number | null = null,
): Result => ({
  name,
  value: round(value),
  unit,
  ceiling: ceiling === null ? null : round(ceiling),
  ratio: ceiling === null || ceiling === 0 ? null : Math.round((value / ceiling) * 1000) / 1000,
  n,
});

const round = (value: number) => (Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100);

export const printResults = (results: readonly Result[]): void => {
  const table = new Table({
    head: ['name', 'value', 'unit', 'ceiling', 'ratio', 'n'],
    colAligns: ['left', 'right', 'left', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, value, unit, ceiling, ratio, n, note } of results)
    table.push([
      name,
      note === undefined ? value : `${value} (${note})`,
      unit,
      ceiling ?? '',
      ratio === null ? '' : `${Math.round(ratio * 100)} %`,
      n,
    ]);
  console.log(table.toString());
};

export const writeResults = (file: string, results: readonly Result[]): void =>
  writeFileSync(file, `${JSON.stringify(results.map(withoutNote), null, 2)}\n`);

const withoutNote = ({ note: _note, ...promised }: Result) => promised;
