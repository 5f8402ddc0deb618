import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { withoutMark } from '../common/json-in.ts';
import type { Environment } from './read-setting.ts';

let fromFile: readonly string[] | null = null;

/** What changes Node itself, where requests go or which program is started: a folder in which somebody works must not decide that. */
const notFromFile = /^(?:NODE_(?!ENV$)|GRANTBOOK_|BROWSER$|(?:https?|all|no)_proxy$)/i;

/** The environment of the process, with additions from a `.env` file in the working directory (which never overrides). */
export function environment(): Environment {
  fromFile ??= addFromFile(process.env, textOfFile());
  return process.env;
}

/** @returns the names that the text of the file has added */
export const addFromFile = (env: Record<string, string | undefined>, text: string): readonly string[] =>
  Object.entries(parseEnv(withoutMark(text))).flatMap(([name, value]) => {
    if (env[name] !== undefined || notFromFile.test(name)) return [];
    env[name] = value;
    return [name];
  });

/** What only the file has set: a name there that looks like a setting is meant for us. */
export const namesInFile = (): readonly string[] => fromFile ?? [];

const textOfFile = (): string => {
  try {
    return readFileSync('.env', 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
};
