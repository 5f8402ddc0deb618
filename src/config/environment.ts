import { existsSync } from 'node:fs';
import type { Environment } from './read-setting.ts';

/** The environment of the process, with additions from a `.env` file in the working directory (which never overrides). */
export function environment(): Environment {
  if (existsSync('.env')) process.loadEnvFile();
  return process.env;
}
