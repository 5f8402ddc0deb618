import { randomBytes } from 'node:crypto';
import type { PersonalSubject } from '../domain/personal-data.ts';
import type { KeyOfPerson, LostKeyTable } from './lost-key-table.ts';
import type { SubjectKeyTable } from './subject-key-table.ts';

export type LostKeyDependencies = {
  readonly table: Pick<SubjectKeyTable, 'destroy'>;
  readonly lost: LostKeyTable;
  /** Whether the log says that a person was erased: the first erasures are older than tombstones. */
  readonly isErasedInLog: (subject: PersonalSubject) => Promise<boolean>;
  /** Called for each lost key, by the first instance that finds it. */
  readonly foundLost?: (subject: PersonalSubject) => void;
};

/** Distinguishes deleted keys from missing ones. */
export const makeLostKeys = ({ table, lost, isErasedInLog, foundLost }: LostKeyDependencies) => {
  let found = false;
  const isErased = async (subject: PersonalSubject): Promise<boolean> => {
    if (!(await isErasedInLog(subject))) return false;
    // From now on the table says it, too.
    await table.destroy({ subject, keyId: randomBytes(16).toString('base64url') });
    return true;
  };
  return {
    /** Whether this process has found one. */
    any: () => found,
    countPersons: () => lost.countPersons(),
    /**
     * @param absent keys that have no row @returns the ids of those that neither a tombstone nor the log says are
     * deleted
     */
    async lostAmong(absent: readonly KeyOfPerson[]): Promise<ReadonlySet<string>> {
      if (absent.length === 0) return new Set();
      const destroyed = await lost.destroyedAmong(absent.map(({ subject }) => subject));
      const missing = absent.filter(({ subject }) => !destroyed.has(subject));
      const known = await lost.knownAmong(missing.map(({ keyId }) => keyId));
      const fresh: KeyOfPerson[] = [];
      for (const key of missing) if (!known.has(key.keyId) && !(await isErased(key.subject))) fresh.push(key);
      const noted = fresh.length === 0 ? new Set() : await lost.note(fresh);
      for (const { keyId, subject } of fresh) if (noted.has(keyId)) foundLost?.(subject);
      const all = new Set([...known, ...fresh.map(({ keyId }) => keyId)]);
      found ||= all.size > 0;
      return all;
    },
  };
};
