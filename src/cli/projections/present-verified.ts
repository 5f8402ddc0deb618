import type { Found, Verified } from '../../projections/rebuild/verify.ts';
import type { Answer } from '../base/answer.ts';
import { positionText } from '../../audit/timeline/position-text.ts';
import { number } from './present.ts';

/** Differences count as refused: a script must not continue. */
export const presentVerified = ({ name, version, position, tables, differences }: Verified): Answer => {
  const equal = differences.length === 0;
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const at = positionText(position);
  return {
    exitCode: equal ? 0 : 1,
    json: { name, version, position: at, equal, rows, tables, differences: differences.map(presentFound) },
    text: equal
      ? `Version ${version} of ${name} is equal to the live one at ${at}: ${number.format(rows)} rows.`
      : [
          `Version ${version} of ${name} differs from the live one at ${at}.`,
          ...differences.flatMap(textOf),
          'Of each table this is the first row that differs.',
        ].join('\n'),
  };
};

const presentFound = ({ event, ...difference }: Found) => ({
  ...difference,
  event: event && {
    id: event.id,
    type: event.type,
    stream: event.stream,
    revision: Number(event.revision),
    position: positionText(event.position),
    at: new Date(event.created).toISOString(),
  },
});

const saying = {
  different: 'differs',
  missing: 'is missing in the rebuilt table',
  extra: 'is only in the rebuilt table',
} as const;

const textOf = (found: Found): readonly string[] => {
  const { table, kind, key, columns, live, rebuilt, event } = found;
  const value = (text: string | null = null) => (text === null ? 'NULL' : JSON.stringify(text));
  const keys = Object.entries(key).map(([name, text]) => `${name} = ${text}`);
  return [
    `  ${table}: the row with ${keys.join(', ')} ${saying[kind]}`,
    ...columns.map((name) => `    ${name}: live ${value(live?.[name])}, rebuilt ${value(rebuilt?.[name])}`),
    event
      ? `    made by ${event.type} ${event.id}, revision ${event.revision} of ${event.stream}, at ${positionText(event.position)}`
      : '    the log has no event for it',
  ];
};
