import { createHash } from 'node:crypto';
import type { Persons } from '../../src/commands/persons.ts';

/** Over a log in memory nothing is signed, so there is no key to destroy; addresses are digested without one. */
export const memoryPersons = (): Persons & { readonly destroyed: readonly string[] } => {
  const destroyed: string[] = [];
  return {
    destroyed,
    destroy: (subject) => Promise.resolve(void destroyed.push(subject)),
    emailDigest: (email) => Promise.resolve(createHash('sha256').update(email).digest('hex')),
  };
};
