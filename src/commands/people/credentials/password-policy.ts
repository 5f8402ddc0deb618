import type * as Library from '@zxcvbn-ts/language-common';

/** NIST SP 800-63B-4 §3.1.1.2: a length, no rules of composition, and no password that everybody tries first. */
const minLength = 8;
const maxLength = 256;

const library = (): Promise<typeof Library> => import('@zxcvbn-ts/language-common');

let common: Promise<ReadonlySet<string>> | undefined;

/** Common passwords and words, in lower case. Read once a password is set: the list takes some milliseconds and megabytes. */
const readCommon = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await library();
  return new Set(Object.values(dictionary).flat());
};

/** What is wrong with a password, or null. The message never contains the password. */
export const passwordProblem = async (password: string): Promise<string | null> => {
  const length = Array.from(password).length;
  if (length < minLength || length > maxLength) return `must have ${minLength} to ${maxLength} characters`;
  const isCommon = (await (common ??= readCommon())).has(password.normalize('NFKC').toLowerCase());
  return isCommon ? 'must not be one of the passwords that are used most' : null;
};
