import type { Logger } from 'pino';
import { parseTokenKeys, subkeyFor, type TokenKeys } from '../commands/token-keys.ts';
import type { Config } from '../config.ts';
import { streamOfPerson, type PersonalSubject } from '../domain/personal-data.ts';
import { readKeysFile } from '../embedded/keys-file.ts';
import { codec } from '../eventstore/codec.ts';
import { PersonalDataUnavailable, type LogReader, type StoredEvent } from '../eventstore/event-store.ts';
import type { PersonalData } from '../eventstore/personal-data.ts';
import { makeKeptKeyTable } from '../personal/kept-key-table.ts';
import { makeKeyKeeping, type KeyKeeping } from '../personal/key-keeping.ts';
import { makeLostKeyTable } from '../personal/lost-key-table.ts';
import { makePersonalData } from '../personal/personal-data.ts';
import { makePersons } from '../personal/persons.ts';
import { makeSubjectKeyTable } from '../personal/subject-key-table.ts';
import { makeSubjectKeys, type SubjectKeys } from '../personal/subject-keys.ts';
import type { MasterKeys } from '../personal/wrapped-key.ts';
import type { DatabaseGeneration } from '../projections/database-generation.ts';
import { makeWritePool } from '../projections/write-pool.ts';

/** The keys of persons, and what is encrypted under them. */
export type Personal = {
  readonly data: PersonalData;
  readonly keys: SubjectKeys;
  readonly persons: ReturnType<typeof makePersons>;
  readonly keeping: KeyKeeping;
  /** Which log tells who was erased: to be called before anything is read from it. */
  askLog(log: Pick<LogReader, 'readStored'>): void;
  close(): Promise<void>;
};

/** Over a database that has its tables. */
export const composePersonal = async (
  config: Pick<Config, 'personalDataKeys' | 'dataDir'>,
  { databaseUrl, database }: { readonly databaseUrl: string; readonly database?: DatabaseGeneration },
  logger: Logger,
): Promise<Personal> => {
  const given =
    config.personalDataKeys ?? parseTokenKeys(await readKeysFile(config.dataDir, 'personal-data-keys'));
  // Their own: what waits for a key is not kept waiting by other writes.
  const pool = makeWritePool({ databaseUrl, logger, connections: 2, ...(database && { database }) });
  const [table, masters] = [makeSubjectKeyTable(pool), wrappingKeys(given)];
  let log: Pick<LogReader, 'readStored'> | null = null;
  const keys = makeSubjectKeys({
    table,
    masters,
    lost: makeLostKeyTable(pool),
    isErasedInLog: (subject) => {
      if (!log) throw new PersonalDataUnavailable('the log is not connected yet');
      return isErasedIn(log, subject);
    },
    foundLost: (subject) =>
      logger.error({ subject, alarm: true }, 'key lost: the key of a person is neither there nor destroyed'),
  });
  // What is encrypted under a key that only the database of before had could never be decrypted again.
  const stopListening = database?.onChange(() => keys.forgetAll());
  return {
    data: makePersonalData(keys),
    keys,
    persons: makePersons(keys),
    askLog: (asked) => void (log = asked),
    keeping: makeKeyKeeping({ table: { ...table, ...makeKeptKeyTable(pool) }, masters }),
    close() {
      stopListening?.();
      return pool.end();
    },
  };
};

const page = 500;

/** Whether the stream of an account or a profile says that the person was erased. Nothing personal of it is decoded. */
const isErasedIn = async (log: Pick<LogReader, 'readStored'>, subject: PersonalSubject): Promise<boolean> => {
  for (let from = 0n; ;) {
    const events = await log.readStored(streamOfPerson(subject), from, page);
    if (events.some(saysErased)) return true;
    const last = events.at(-1);
    if (!last || events.length < page) return false;
    from = last.revision + 1n;
  }
};

/** One that cannot be decoded says nothing: a tombstone is for good. */
const saysErased = ({ stream: streamId, created, ...event }: StoredEvent): boolean => {
  if (event.type !== 'AccountErased' && event.type !== 'ProfileErased') return false;
  try {
    codec.decode({ ...event, streamId, created: new Date(created) });
    return true;
  } catch {
    return false;
  }
};

const wrappingKeys = (given: TokenKeys): MasterKeys => ({
  current: given.current,
  keys: new Map(
    [...given.keys.keys()].flatMap((id) => {
      const key = subkeyFor(given, id, 'subject-key')?.export();
      return key ? [[id, key] as const] : [];
    }),
  ),
});
