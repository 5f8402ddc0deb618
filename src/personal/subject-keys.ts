import { randomBytes } from 'node:crypto';
import type { PersonalSubject } from '../domain/personal-data.ts';
import { PersonalDataUnavailable } from '../eventstore/event-store.ts';
import { makeKeyCache, type KnownKey } from './key-cache.ts';
import type { KeyOfPerson, LostKeyTable } from './lost-key-table.ts';
import type { SubjectKeyTable } from './subject-key-table.ts';
import {
  MasterKeyMissing,
  makeWrappedKey,
  unwrapKey,
  type KeySubject,
  type MasterKeys,
  type WrappedKey,
} from './wrapped-key.ts';

/** Keys of persons, cached for a minute. All methods @throws PersonalDataUnavailable */
export type SubjectKeys = {
  /** The key of a subject, created and durable if there was none; its key is null once it was deleted. */
  of(subject: KeySubject): Promise<KnownKey>;
  /** A key by its id: null when it was deleted, and `lost` when it is a person's, missing, and nobody has deleted it. */
  byId(keyId: string, subject: PersonalSubject | null): Promise<KnownKey>;
  hasLost(): boolean;
  /** The number of persons with a key that any instance found lost and that is still missing. */
  countLost(): Promise<number>;
  /** Deletes it, here and in the database. */
  destroy(subject: PersonalSubject): Promise<void>;
  /** For a deletion by another instance. */
  forget(subject: PersonalSubject): void;
  /** To be called when another database is used from now on: it may lack keys that the previous one had, or have others. */
  forgetAll(): void;
};

type Dependencies = {
  readonly table: SubjectKeyTable;
  readonly masters: MasterKeys;
  readonly now?: () => number;
} & LostKeyDependencies;

const mostCached = 20_000;
const cachedMs = 60_000;
const mostAtOnce = 1_000;

export const makeSubjectKeys = (dependencies: Dependencies): SubjectKeys => {
  const { table, masters, now = () => performance.now() } = dependencies;
  const lost = makeLostKeys(dependencies);
  const ids = makeKeyCache(mostCached, cachedMs, now);
  const subjects = makeKeyCache(mostCached, cachedMs, now);

  const learn = (wrapped: WrappedKey): KnownKey => {
    const known = { keyId: wrapped.keyId, key: unwrapKey(masters, wrapped) };
    // Few persons have an earlier key, and this cache would not drop it with the person.
    if (wrapped.earlier) return known;
    ids.set(known.keyId, known);
    subjects.set(wrapped.subject, known);
    return known;
  };
  const make = coalesceLookups<KnownKey>(async (wanted) => {
    const rows = await table.add(wanted.map((subject) => makeWrappedKey(masters, subject)));
    return new Map(rows.map((row) => [row.subject, learn(row)]));
  }, mostAtOnce);
  const find = coalesceLookups<KnownKey>(async (wanted) => {
    const pairs = wanted.map(partsOf);
    const rows = await table.byIds(pairs.map(({ keyId }) => keyId));
    const found = new Map(rows.map((row) => [row.keyId, learn(row)]));
    // That a key is missing is not cached: a restored backup may bring it back.
    const missing = await lost.lostAmong(pairs.filter(isOfPerson).filter(({ keyId }) => !found.has(keyId)));
    return new Map(
      pairs.map(({ keyId, subject }, index) => [
        wanted[index] ?? '',
        found.get(keyId) ?? {
          keyId,
          key: null,
          ...(subject && missing.has(keyId) && { lost: true as const }),
        },
      ]),
    );
  }, mostAtOnce);
  const forget = (subject: PersonalSubject): void => {
    const known = subjects.get(subject);
    if (known) ids.delete(known.keyId);
    subjects.delete(subject);
  };

  return {
    of: (subject) => resolved(subjects.get(subject)) ?? available(make(subject)),
    byId: (keyId, subject) => resolved(ids.get(keyId)) ?? available(find(pairOf(keyId, subject))),
    hasLost: () => lost.any(),
    countLost: () => available(lost.countPersons()),
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

type Pair = { readonly keyId: string; readonly subject: PersonalSubject | null };

/** Batched lookups are keyed by a text; ids in foreign events may be anything, so they are quoted as JSON. */
const pairOf = (...pair: readonly [string, PersonalSubject | null]): string => JSON.stringify(pair);
const partsOf = (text: string): Pair => {
  const [keyId, subject] = JSON.parse(text) as [string, PersonalSubject | null];
  return { keyId, subject };
};
const isOfPerson = (pair: Pair): pair is Pair & { readonly subject: PersonalSubject } =>
  pair.subject !== null;

const resolved = (known: KnownKey | undefined) => known && Promise.resolve(known);

/** No failure means that the key is gone. */
const available = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((cause: unknown) => {
    const reason = cause instanceof MasterKeyMissing ? cause.message : codeOf(cause);
    throw new PersonalDataUnavailable(`the keys of personal data cannot be read (${reason})`, { cause });
  });

const codeOf = (cause: unknown): string => {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'no answer';
};

type Waiting<V> = { readonly resolve: (value: V) => void; readonly reject: (error: unknown) => void };

/** Looks up many keys with one call: while one runs, further ones are collected, each once. */
const coalesceLookups = <V>(
  answerAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  atMost: number,
): ((key: string) => Promise<V>) => {
  let waiting = new Map<string, Waiting<V>[]>();
  let running = false;
  const ask = async (batch: ReadonlyMap<string, readonly Waiting<V>[]>): Promise<void> => {
    try {
      const answers = await answerAll([...batch.keys()]);
      for (const [key, askers] of batch) for (const { resolve } of askers) resolve(answers.get(key) as V);
    } catch (error) {
      for (const askers of batch.values()) for (const { reject } of askers) reject(error);
    }
  };
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = new Map([...waiting].slice(0, atMost));
      waiting = new Map([...waiting].slice(atMost));
      await ask(batch);
    }
    running = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      const askers = waiting.get(key) ?? [];
      waiting.set(key, [...askers, { resolve, reject }]);
      if (running) return;
      running = true;
      // After all sockets of this turn were read: the keys of their requests share a call.
      setImmediate(() => void run());
    });
};

type LostKeyDependencies = {
  readonly table: Pick<SubjectKeyTable, 'destroy'>;
  readonly lost: LostKeyTable;
  /** Whether the log says that a person was erased: the first erasures are older than tombstones. */
  readonly isErasedInLog: (subject: PersonalSubject) => Promise<boolean>;
  /** Called for each lost key, by the first instance that finds it. */
  readonly foundLost?: (subject: PersonalSubject) => void;
};

/** Distinguishes deleted keys from missing ones. */
const makeLostKeys = ({ table, lost, isErasedInLog, foundLost }: LostKeyDependencies) => {
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
    /** @param absent keys without a row @returns those that neither a tombstone nor the log says are deleted */
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
