import { createInterface } from 'node:readline/promises';
import { refused } from './answer.ts';
import type { CliIo } from './cli-io.ts';

/** Asks at a terminal only, for actions that scripts have always been able to do without an answer. */
export const agreed = async (
  io: CliIo,
  asked: { readonly yes: boolean; readonly word: string; readonly warning: string },
): Promise<boolean> => io.stdin.isTTY !== true || isConfirmed(io, asked);

/** Confirms an action that cannot be undone: by --yes, or by typing the word at a terminal. */
export const isConfirmed = async (
  { stdin, stderr }: CliIo,
  { yes, word, warning }: { readonly yes: boolean; readonly word: string; readonly warning: string },
): Promise<boolean> => {
  if (yes) return true;
  if (stdin.isTTY !== true) return false;
  stderr.write(`${warning}\nType ${word} to continue: `);
  // Without an output: the terminal shows what is typed, and the question is printed as all else is.
  const lines = createInterface({ input: stdin });
  try {
    return (await lines.question('')).trim() === word;
  } finally {
    lines.close();
  }
};

export const notConfirmed = refused('not-confirmed', 'nothing was done: it was not confirmed');
