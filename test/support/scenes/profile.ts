import type { Profile } from '../../../src/domain/records/profile.ts';

/** A person as the host platform sends it, with what it may leave out. */
export const profileOf = (name: string, change: Partial<Profile> = {}): Profile => ({
  name,
  email: 'person@example.com',
  userId: null,
  phone: null,
  locale: null,
  externalId: null,
  ...change,
});
