import Table from 'cli-table3';
import type { TaskRefused } from '../../tasks/task.ts';
import type { FieldProblem } from '../../domain/kernel/decision.ts';

/** For people: `620,000`. */
export const number = new Intl.NumberFormat('en');

/** `1 warning`, `2 warnings`. */
export const amount = (count: number | bigint, what: string): string =>
  `${count} ${what}${Number(count) === 1 ? '' : 's'}`;

/** The result of a command: one JSON document for scripts, a short text for people, and the exit code. */
export type Answer = {
  /** 0 done, 1 refused or servers not reached, 2 usage error. */
  readonly exitCode: 0 | 1 | 2;
  readonly json: unknown;
  readonly text: Text;
};

/** A text may depend on the width of the terminal in characters; Infinity: it goes elsewhere. */
export type Text = string | ((width: number) => string);

export const textFor = (width: number, text: Text): string => (typeof text === 'string' ? text : text(width));

/** Below each other. */
export const lines =
  (...parts: readonly Text[]): Text =>
  (width) =>
    parts.map((part) => textFor(width, part)).join('\n');

export const answer = (json: unknown, text: Text): Answer => ({ exitCode: 0, json, text });

/** A refused command: `code` is for scripts, `message` says what to do. */
export const refused = (
  code: string,
  message: string,
  problems?: readonly FieldProblem[],
): Answer & { readonly text: string } => ({
  exitCode: 1,
  json: { error: { code, message, ...(problems === undefined ? {} : { problems }) } },
  text: [
    `Refused: ${message}.`,
    ...(problems ?? []).map((problem) => `  ${problem.field} ${problem.message}`),
  ].join('\n'),
});

export const refusedAs = ({ refusal, message, problems, candidates, current }: TaskRefused) => {
  const said = refused(refusal, message, problems);
  if (!candidates && !current) return said;
  const { error } = said.json as { readonly error: object };
  const more = { ...(candidates && { candidates }), ...(current && { current }) };
  return { ...said, json: { error: { ...error, ...more } } };
};

/** A usage error that only the servers can detect; reported like every other usage error. */
export const misused = (message: string): Answer => ({
  exitCode: 2,
  json: { error: { code: 'usage', message } },
  text: `error: ${message}`,
});

/**
 * A table without lines (AP-09). What is wider than the terminal loses its last columns, which are named below.
 * @param all where the columns that were left out can be had
 */
export const table =
  (
    head: readonly string[],
    rows: readonly (readonly string[])[],
    all: string | null = '--json has them',
  ): Text =>
  (width) => {
    const drawn = (count: number) => {
      const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 2 };
      const part = new Table({ head: head.slice(0, count), style, chars: withoutLines });
      for (const row of rows) part.push(row.slice(0, count));
      return part.toString().replaceAll(/ +$/gm, '');
    };
    for (let count = head.length; ; count -= 1) {
      const text = drawn(count);
      if (all === null || count === 1 || Math.max(...text.split('\n').map(({ length }) => length)) <= width)
        return count === head.length
          ? text
          : `${text}\nLeft out, as the terminal is narrow: ${head.slice(count).join(', ')} (${all}).`;
    }
  };

const withoutLines = Object.fromEntries(
  ['top', 'bottom', 'mid', 'left', 'right']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('left-mid', 'mid-mid', 'right-mid', 'middle')
    .map((name) => [name, '']),
);

/** Names and values below each other, for one object with many fields. */
export const sheet = (entries: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n');
};
