import Table from 'cli-table3';

/** For people: `620,000`. */
export const number = new Intl.NumberFormat('en');

/** The result of a command: one JSON document for scripts, a short text for people, and the exit code. */
export type Answer = {
  /** 0 done, 1 refused or servers not reached, 2 usage error. */
  readonly exitCode: 0 | 1 | 2;
  readonly json: unknown;
  readonly text: string;
};

export const answer = (json: unknown, text: string): Answer => ({ exitCode: 0, json, text });

type Problem = { readonly field: string; readonly message: string };

/** A refused command: `code` is for scripts, `message` says what to do. */
export const refused = (code: string, message: string, problems?: readonly Problem[]): Answer => ({
  exitCode: 1,
  json: { error: { code, message, ...(problems === undefined ? {} : { problems }) } },
  text: [
    `Refused: ${message}.`,
    ...(problems ?? []).map((problem) => `  ${problem.field} ${problem.message}`),
  ].join('\n'),
});

/** A usage error that only the servers can detect; reported like every other usage error. */
export const misused = (message: string): Answer => ({
  exitCode: 2,
  json: { error: { code: 'usage', message } },
  text: `error: ${message}`,
});

/** A plain table with columns as wide as their content. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const drawn = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) drawn.push([...row]);
  return drawn.toString();
};

/** Names and values below each other, for one object with many fields. */
export const sheet = (entries: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n');
};
