import type { CommandDependencies } from '../../../src/commands/kernel/dependencies.ts';
import type { WriteSide } from '../../../src/commands/make-commands.ts';
import { memoryCounters } from './memory-counters.ts';
import { memoryPersons } from './memory-persons.ts';

/** Nobody signs in here. */
const passwords = { hash: () => Promise.resolve(''), verify: () => Promise.resolve(false) };

/** The write side of a test that names only the features that it is about. */
export const memoryWriteSide = (
  common: CommandDependencies,
  features: Partial<Omit<WriteSide, 'common'>> = {},
): WriteSide => ({
  common,
  access: { rotationsPerHour: 0 },
  accounts: { persons: memoryPersons(), namesOfOrganizations: () => Promise.resolve(new Set()) },
  credentials: { passwords, inBackground: () => undefined },
  signIn: { signInCounters: memoryCounters(), signInsPerMinute: 0 },
  records: {},
  ...features,
});
