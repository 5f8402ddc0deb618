import { createInterface } from 'node:readline/promises';
import type { CliIo } from './cli-io.ts';

/** Confirms an action that cannot be undone: by --yes, or by typing the word at a terminal. */
export const isConfirmed = async (
  { stdin, stderr }: CliIo,
  { yes, word, warning }: { readonly yes: boolean; readonly word: string; readonly warning: string },
): Promise<boolean> => {
  if (yes) return true;
  if (stdin.isTTY !== true) return false;
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return (await lines.question(`${warning}\nType ${word} to continue: `)).trim() === word;
  } finally {
    lines.close();
  }
};
