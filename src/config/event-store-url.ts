import { readFileSync } from 'node:fs';
import { connectionProblem } from '../eventstore/server/connection-problems.ts';
import { fileOption, readConnectionString } from '../eventstore/server/connection-string.ts';
import { belongTogether, certificates, privateKey } from './parsers.ts';
import type { SettingValues } from './settings.ts';

/** Why EVENTSTORE_URL cannot work, in one sentence: a contradiction, or a file that it names. */
export const eventStoreUrlProblems = ({ EVENTSTORE_URL: url }: Partial<SettingValues>): readonly string[] => {
  if (!url) return [];
  const problem = connectionProblem(url);
  return problem ? [`EVENTSTORE_URL: got ${problem.got}; allowed: ${problem.allowed}`] : fileProblems(url);
};

const fileOptions = [
  { name: 'tlsCAFile', schema: certificates, content: 'certificate' },
  { name: 'userCertFile', schema: certificates, content: 'certificate' },
  { name: 'userKeyFile', schema: privateKey, content: 'private key' },
] as const;

/** The client's own error does not say which file it is, and it ignores one without a certificate. */
const fileProblems = (url: string): readonly string[] => {
  const { options } = readConnectionString(url);
  const texts = new Map<string, string>();
  const problems = fileOptions.flatMap(({ name, schema, content }) => {
    const path = fileOption(options, name.toLowerCase());
    if (path === null) return [];
    const problem = (found: string) =>
      `EVENTSTORE_URL: its ${name} ${JSON.stringify(path)} ${found}; allowed: a readable file in PEM`;
    try {
      texts.set(name, readFileSync(path, 'utf8'));
    } catch (error) {
      return [problem(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`)];
    }
    return schema.safeParse(texts.get(name)).success ? [] : [problem(`holds no ${content}`)];
  });
  const [certificate, key] = [texts.get('userCertFile'), texts.get('userKeyFile')];
  if (problems.length > 0 || !certificate || !key || belongTogether(certificate, key)) return problems;
  return [
    'EVENTSTORE_URL: its userKeyFile is not the key of its userCertFile; allowed: files that belong together',
  ];
};
