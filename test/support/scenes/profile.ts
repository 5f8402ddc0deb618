import type { AccessRight } from '../../../src/domain/records/access-right.ts';
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

/** What a person may open, and no stay of theirs. */
export const rightOf = (profileId: string, reservationId: string | null = null): AccessRight => ({
  profileId,
  opens: 'Gate',
  validFrom: '2026-05-01T08:00:00Z',
  validUntil: null,
  status: 'active',
  reservationId,
});
