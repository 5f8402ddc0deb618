import { english } from '../../../common/words.ts';
import type * as Library from '@zxcvbn-ts/language-common';

/** NIST SP 800-63B-4 §3.1.1.2: a length, no rules of composition, and no password that everybody tries first. */
const minLength = 8;
const maxLength = 256;

const library = (): Promise<typeof Library> => import('@zxcvbn-ts/language-common');

/** Loaded once a password is set: the lists take some megabytes. A search of them costs nothing next to the hash. */
const isCommon = async (password: string): Promise<boolean> => {
  const { dictionary } = await library();
  const lower = password.normalize('NFKC').toLowerCase();
  return Object.values(dictionary).some((list) => (list as readonly string[]).includes(lower));
};

/** What is wrong with a password, or null. The message never contains the password. */
export const passwordProblem = async (password: string): Promise<string | null> => {
  const length = Array.from(password).length;
  if (length < minLength || length > maxLength) return english.problems.length(minLength, maxLength);
  return (await isCommon(password)) ? english.problems.commonPassword : null;
};
