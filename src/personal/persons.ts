import { createHmac } from 'node:crypto';
import type { PersonalSubject } from '../domain/personal-data.ts';
import { PersonalDataUnavailable } from '../eventstore/event-store.ts';
import type { SubjectKeys } from './subject-keys.ts';
import { emailDigests } from './wrapped-key.ts';

/**
 * What commands do with the keys. The key of the digests is one of them, wrapped and backed up like all others:
 * changing the master key changes no digest.
 */
export const makePersons = (keys: SubjectKeys) => ({
  destroy: (subject: PersonalSubject) => keys.destroy(subject),
  async emailDigest(email: string): Promise<string> {
    const { key } = await keys.of(emailDigests);
    if (!key) throw new PersonalDataUnavailable('the key of the digests of e-mail addresses was deleted');
    return createHmac('sha256', key).update(email).digest('hex');
  },
});
