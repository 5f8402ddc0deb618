import { randomBytes } from 'node:crypto';
import type { PersonalSubject } from '../domain/personal-data.ts';
import { PersonalDataUnavailable } from '../eventstore/event-store.ts';
import { gathered } from './gathered.ts';
import { makeKeyCache, type KnownKey } from './key-cache.ts';
import type { SubjectKeyTable } from './subject-key-table.ts';
import {
  MasterKeyMissing,
  makeWrappedKey,
  unwrapKey,
  type KeySubject,
  type MasterKeys,
  type WrappedKey,
} from './wrapped-key.ts';

/** Keys of persons, cached for a minute. All of it @throws PersonalDataUnavailable */
export type SubjectKeys = {
  /** The key of a subject, made and durable when there was none; its key is null once it was destroyed. */
  of(subject: KeySubject): Promise<KnownKey>;
  /** A key by its id; null when it was destroyed, or is not in this database. */
  byId(keyId: string): Promise<KnownKey>;
  /** Destroys it, here and in the database. */
  destroy(subject: PersonalSubject): Promise<void>;
  /** Another instance has destroyed it. */
  forget(subject: PersonalSubject): void;
  /** Another database is asked from now on, which may lack keys that this one had, or have others. */
  forgetAll(): void;
};

type Needs = {
  readonly table: SubjectKeyTable;
  readonly masters: MasterKeys;
  readonly now?: () => number;
};

const mostCached = 20_000;
const cachedMs = 60_000;
const mostAtOnce = 1_000;

export const makeSubjectKeys = ({ table, masters, now = () => performance.now() }: Needs): SubjectKeys => {
  const ids = makeKeyCache(mostCached, cachedMs, now);
  const subjects = makeKeyCache(mostCached, cachedMs, now);

  const learn = (wrapped: WrappedKey): KnownKey => {
    const known = { keyId: wrapped.keyId, key: unwrapKey(masters, wrapped) };
    ids.set(known.keyId, known);
    subjects.set(wrapped.subject, known);
    return known;
  };
  const make = gathered<KnownKey>(async (wanted) => {
    const rows = await table.add(wanted.map((subject) => makeWrappedKey(masters, subject)));
    return new Map(rows.map((row) => [row.subject, learn(row)]));
  }, mostAtOnce);
  const find = gathered<KnownKey>(async (wanted) => {
    const found = new Map((await table.byIds(wanted)).map((row) => [row.keyId, learn(row)]));
    // Of a key that is not there is not kept that it is not: a backup may bring it.
    return new Map(wanted.map((keyId) => [keyId, found.get(keyId) ?? { keyId, key: null }]));
  }, mostAtOnce);
  const forget = (subject: PersonalSubject): void => {
    const known = subjects.get(subject);
    if (known) ids.delete(known.keyId);
    subjects.delete(subject);
  };

  return {
    of: (subject) => resolved(subjects.get(subject)) ?? available(make(subject)),
    byId: (keyId) => resolved(ids.get(keyId)) ?? available(find(keyId)),
    forget,
    forgetAll() {
      ids.clear();
      subjects.clear();
    },
    async destroy(subject) {
      await available(table.destroy({ subject, keyId: randomBytes(16).toString('base64url') }));
      forget(subject);
    },
  };
};

const resolved = (known: KnownKey | undefined) => known && Promise.resolve(known);

/** Whatever the trouble is, it does not say that the key is gone. */
const available = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((cause: unknown) => {
    const reason = cause instanceof MasterKeyMissing ? cause.message : codeOf(cause);
    throw new PersonalDataUnavailable(`the keys of personal data cannot be asked for (${reason})`, { cause });
  });

const codeOf = (cause: unknown): string => {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'no answer';
};
