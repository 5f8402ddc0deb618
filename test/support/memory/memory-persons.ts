import { createHash } from 'node:crypto';
import type { Persons } from '../../../src/commands/people/dependencies.ts';

/**
 * With a log in memory nothing is encrypted, so there is no key to destroy; e-mail addresses are digested without a
 * key.
 */
export const memoryPersons = (): Persons & { readonly destroyed: readonly string[] } => {
  const destroyed: string[] = [];
  const digest = (text: string) => Promise.resolve(createHash('sha256').update(text).digest('hex'));
  return {
    destroyed,
    destroy: (subject) => Promise.resolve(void destroyed.push(subject)),
    emailDigest: digest,
    identityDigest: (issuer, subject) => digest(`identity\n${JSON.stringify([issuer, subject])}`),
  };
};
