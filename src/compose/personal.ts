import type { Logger } from 'pino';
import { parseTokenKeys, subkeysFor } from '../commands/credentials/token-keys.ts';
import type { Config } from '../config/config.ts';
import { readKeysFile } from '../embedded/keys-file.ts';
import { PersonalDataUnavailable, type LogReader, type StoredEvent } from '../eventstore/event-store.ts';
import type { PersonalData } from '../eventstore/codec/personal-data.ts';
import { makeKeptKeyTable } from '../personal/kept-key-table.ts';
import { makeKeyKeeping, type KeyKeeping } from '../personal/key-keeping.ts';
import { makeLostKeyTable } from '../personal/lost-key-table.ts';
import { makePersonalData } from '../personal/personal-data.ts';
import { makePersons } from '../personal/persons.ts';
import { makeSubjectKeyTable } from '../personal/subject-key-table.ts';
import { makeSubjectKeys, type SubjectKeys } from '../personal/subject-keys.ts';
import type { DatabaseGeneration } from '../projections/database/database-generation.ts';
import { makeWritePool } from '../projections/database/write-pool.ts';
import { streamOfPerson, type PersonalSubject } from '../domain/personal-data.ts';
import { codec } from '../eventstore/codec/codec.ts';

/** The keys of persons, and what is encrypted under them. */
export type Personal = {
  readonly data: PersonalData;
  readonly keys: SubjectKeys;
  readonly persons: ReturnType<typeof makePersons>;
  readonly keeping: KeyKeeping;
  /** Sets the log that says who was erased: to be called before anything is read from it. */
  askLog(log: Pick<LogReader, 'readStored'>): void;
  close(): Promise<void>;
};

/** The tables of the database must exist. */
export const composePersonal = async (
  config: Pick<Config, 'personalDataKeys' | 'dataDir'>,
  { databaseUrl, database }: { readonly databaseUrl: string; readonly database?: DatabaseGeneration },
  logger: Logger,
): Promise<Personal> => {
  const given =
    config.personalDataKeys ?? parseTokenKeys(await readKeysFile(config.dataDir, 'personal-data-keys'));
  // Separate, so that a wait for a key is not prolonged by other writes.
  const pool = makeWritePool({ databaseUrl, logger, connections: 2, ...(database && { database }) });
  const table = makeSubjectKeyTable(pool);
  const masters = {
    current: given.current,
    keys: new Map(subkeysFor(given, 'subject-key').map(({ id, key }) => [id, key])),
  };
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
      logger.error({ subject, alarm: true }, 'key lost: the key of a person is missing but was not deleted'),
  });
  // Data encrypted under a key that only the previous database had could never be decrypted again.
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

/** Whether the stream of an account or a profile says that the person was erased. Decodes no personal data. */
const isErasedIn = async (log: Pick<LogReader, 'readStored'>, subject: PersonalSubject): Promise<boolean> => {
  for (let from = 0n; ;) {
    const events = await log.readStored(streamOfPerson(subject), from, page);
    if (events.some(saysErased)) return true;
    const last = events.at(-1);
    if (!last || events.length < page) return false;
    from = last.revision + 1n;
  }
};

/** An event that cannot be decoded does not count: a tombstone is permanent. */
const saysErased = ({ stream: streamId, created, ...event }: StoredEvent): boolean => {
  if (event.type !== 'AccountErased' && event.type !== 'ProfileErased') return false;
  try {
    codec.decode({ ...event, streamId, created: new Date(created) });
    return true;
  } catch {
    return false;
  }
};
