import { createHmac } from 'node:crypto';
import type { PersonalSubject } from '../domain/personal-data.ts';
import { PersonalDataUnavailable } from '../eventstore/event-store.ts';
import type { SubjectKeys } from './subject-keys.ts';
import { emailDigests } from './wrapped-key.ts';

/** What commands do with the keys; that of the digests is one of them: changing the master key changes no digest. */
export const makePersons = (keys: SubjectKeys) => {
  const digest = async (text: string): Promise<string> => {
    const { key } = await keys.of(emailDigests);
    if (!key) throw new PersonalDataUnavailable('the key of the digests of e-mail addresses was deleted');
    return createHmac('sha256', key).update(text).digest('hex');
  };
  return {
    destroy: (subject: PersonalSubject) => keys.destroy(subject),
    emailDigest: (email: string) => digest(email),
    // A normalised address contains no line break, and JSON escapes those of the identity.
    identityDigest: (issuer: string, subject: string) =>
      digest(`identity\n${JSON.stringify([issuer, subject])}`),
  };
};
