import type { PasskeyUses } from '../../domain/people/passkey.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { RunInBackground } from '../kernel/background-tasks.ts';
import type { Passwords } from './credentials/passwords.ts';
import type { PersonalSubject } from '../../domain/personal-data.ts';

export type AccountDependencies = CommandDependencies & {
  /** Required: the commands that record an erasure also delete the key. */
  readonly persons: Persons;
  /** User ids of accounts that may have the role `operator`: the log says whether they do. Without it, nobody is known. */
  readonly operators?: () => Promise<readonly string[]>;
  /** Those names that an organization has as its id or external id, as far as the read models know. */
  readonly namesOfOrganizations: (names: readonly string[]) => Promise<ReadonlySet<string>>;
};

export type CredentialDependencies = CommandDependencies & {
  readonly passwords: Passwords;
  /** False: nobody signs in with a password (`LOCAL_SIGN_IN=off`). */
  readonly localSignIn?: boolean;
  /** Without it, nobody signs in with a passkey. */
  readonly passkeyUses?: PasskeyUses;
  readonly inBackground: RunInBackground;
};

/** The keys of persons, as commands need them. `src/personal` implements it. */
export type Persons = {
  /** Permanently deletes a person's key. Doing it again changes nothing. @throws PersonalDataUnavailable */
  destroy(subject: PersonalSubject): Promise<void>;
  /** A digest of a normalised e-mail address: without the key nobody can try addresses on it. Hexadecimal, 64 digits. */
  emailDigest(email: string): Promise<string>;
  /** The same of an identity, under the same key; no identity has the digest of an address. */
  identityDigest(issuer: string, subject: string): Promise<string>;
};
