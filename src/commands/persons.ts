import type { PersonalSubject } from '../domain/personal-data.ts';

/** The keys of persons, as commands need them. `src/personal` holds them. */
export type Persons = {
  /** Destroys a person's key for good. Doing it again changes nothing. @throws PersonalDataUnavailable */
  destroy(subject: PersonalSubject): Promise<void>;
  /** What stands for a normalised e-mail address: nobody without the key can try addresses on it. Hexadecimal, 64 digits. */
  emailDigest(email: string): Promise<string>;
};
