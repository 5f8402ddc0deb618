import type { PersonalSubject } from '../../../domain/personal-data.ts';

/** The keys of persons, as commands need them. `src/personal` implements it. */
export type Persons = {
  /** Deletes a person's key for good. Doing it again changes nothing. @throws PersonalDataUnavailable */
  destroy(subject: PersonalSubject): Promise<void>;
  /**
   * A digest of a normalised e-mail address: without the key nobody can try addresses on it. Hexadecimal, 64 digits.
   */
  emailDigest(email: string): Promise<string>;
  /** The same of an identity, under the same key; no identity has the digest of an address. */
  identityDigest(issuer: string, subject: string): Promise<string>;
};
