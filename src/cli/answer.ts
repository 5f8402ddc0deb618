import Table from 'cli-table3';

/** What a command has to say: one JSON document for scripts, a short text for people, and the exit code. */
export type Answer = {
  /** 0 done, 1 refused or not reached, 2 called in a wrong way. */
  readonly exitCode: 0 | 1 | 2;
  readonly json: unknown;
  readonly text: string;
};

export const answer = (json: unknown, text: string): Answer => ({ exitCode: 0, json, text });

type Problem = { readonly field: string; readonly message: string };

/** The thing asked for was refused: `code` is for scripts, `message` says what to do about it. */
export const refused = (code: string, message: string, problems?: readonly Problem[]): Answer => ({
  exitCode: 1,
  json: { error: { code, message, ...(problems === undefined ? {} : { problems }) } },
  text: [
    `Refused: ${message}.`,
    ...(problems ?? []).map((problem) => `  ${problem.field} ${problem.message}`),
  ].join('\n'),
});

/** It was called in a way that only the servers could tell is wrong: said as every usage error is. */
export const misused = (message: string): Answer => ({
  exitCode: 2,
  json: { error: { code: 'usage', message } },
  text: `error: ${message}`,
});

/** A plain table; columns are as wide as what they hold. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const drawn = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) drawn.push([...row]);
  return drawn.toString();
};

/** Name and value below each other, for one thing with many sides. */
export const sheet = (entries: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n');
};
