import type { Difference, Row } from '../../projections/rebuild/compare-tables.ts';
import type { Verified } from '../../projections/rebuild/verify.ts';
import { number, type Answer } from '../base/answer.ts';
import { positionText } from '../../audit/timeline/position-text.ts';

/** Differences count as refused: a script must not continue. */
export const presentVerified = ({ name, version, position, tables, differences }: Verified): Answer => {
  const equal = differences.length === 0;
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const at = positionText(position);
  return {
    exitCode: equal ? 0 : 1,
    json: { name, version, position: at, equal, rows, tables, differences },
    text: equal
      ? `Version ${version} of ${name} is equal to the live one at ${at}: ${number.format(rows)} rows.`
      : [
          `Version ${version} of ${name} differs from the live one at ${at}.`,
          ...differences.flatMap(textOf),
        ].join('\n'),
  };
};

const saying = {
  different: 'differs',
  missing: 'is missing in the rebuilt table',
  extra: 'is only in the rebuilt table',
} as const;

const textOf = (difference: Difference): readonly string[] => {
  const { table, kind, key, columns, live, rebuilt, rows, keys } = difference;
  const value = (text: string | null = null) => (text === null ? 'NULL' : JSON.stringify(text));
  const keyText = (row: Row) =>
    Object.entries(row)
      .map(([name, text]) => `${name} = ${text}`)
      .join(', ');
  return [
    `  ${table}: ${rows === 1 ? '1 row differs' : `${number.format(rows)} rows differ`}`,
    `    the row with ${keyText(key)} ${saying[kind]}`,
    ...columns.map((name) => `      ${name}: live ${value(live?.[name])}, rebuilt ${value(rebuilt?.[name])}`),
    ...keys.slice(1).map((other) => `    also that with ${keyText(other)}`),
  ];
};
