import type { Client, QueryResult } from 'pg';

type Questionable = { query(text: string): Promise<QueryResult<{ identity: string; isReadOnly: boolean }>> };

/** The database is a standby, or was made read-only: another server is the one to use, now or in a moment. */
export class DatabaseReadOnly extends Error {
  override readonly name = 'DatabaseReadOnly';
  /** PostgreSQL's code of a write that such a server refuses. */
  readonly code = '25006';
  constructor() {
    super('the server of DATABASE_URL is read-only');
  }
}

/** The fence may not match the log yet: the caller may try again (503). */
export class DatabaseNotCurrent extends Error {
  override readonly name = 'DatabaseNotCurrent';
  /** PostgreSQL's code of a server that is up but accepts no connections yet. */
  readonly code = '57P03';
  constructor() {
    super('The connections lead to another database, and its fence is not known to be current');
  }
}

/** A physical backup or a restart has a new start of the server, a logical one another database or table. A standby is read-only. */
const identityQuery = `
  select concat_ws('/', extract(epoch from pg_postmaster_start_time()),
                   (select oid from pg_database where datname = current_database()), to_regclass('fence')::oid) as identity,
         current_setting('transaction_read_only') = 'on' as "isReadOnly"`;

/** Of a database whose server was demoted: whatever is met next is another one. */
const none = '';

/** Which database the connections lead to: after a restore, failover or move it may hold less than was answered: a generation each. */
export const makeDatabaseGeneration = () => {
  let identity: string | null = null;
  let generation = 0;
  let trusted: number | null = null;
  const listeners = new Set<() => void>();
  const begin = () => {
    generation += 1;
    for (const listener of listeners) listener();
  };
  const demoted = (of: number) => {
    if (of !== generation || identity === none) return;
    identity = none;
    begin();
  };
  return {
    /** Identifies the database of a new connection, before anything is read. @returns its generation @throws DatabaseReadOnly without writes */
    async meet(client: Questionable) {
      const { rows } = await client.query(identityQuery);
      const { identity: met, isReadOnly } = rows[0] ?? { identity: none, isReadOnly: false };
      if (isReadOnly) {
        if (met === identity) demoted(generation);
        throw new DatabaseReadOnly();
      }
      const isFirst = identity === null;
      const isOther = identity !== met;
      identity = met;
      if (isOther && !isFirst) begin();
      return generation;
    },
    current: () => generation,
    /** Reports that it looks like the same database but holds less than before. */
    wentBack: begin,
    /** Reports that the server behind a connection of this generation accepts no more writes. */
    demoted,
    /** The fence of this generation has caught up with the log. @returns false when there is a newer generation */
    trust(of: number) {
      if (of !== generation) return false;
      trusted = of;
      return true;
    },
    /** Whether that was reported for the current generation. */
    isTrusted: () => trusted === generation,
    /** Null where it was never reported, as in a command; then reads are not guarded. */
    trustedGeneration: () => trusted,
    /** Called immediately for each new generation. @returns a function that stops it */
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

export type DatabaseGeneration = ReturnType<typeof makeDatabaseGeneration>;

/** What PostgreSQL reports of itself, with the answer to the statement after a change. */
type ServerReport = { readonly parameterName: string; readonly parameterValue: string };
const demotions = ['default_transaction_read_only', 'in_hot_standby'];

/** As `meet`, and calls `lose` as soon as the generation is over: a demoted server answers over old connections. @throws DatabaseReadOnly */
export const meetDatabase = async (
  database: DatabaseGeneration,
  client: Client,
  lose: (error: Error) => void,
): Promise<number> => {
  const generation = await database.meet(client);
  const stop = database.onChange(() => lose(new DatabaseNotCurrent()));
  client.once('end', stop);
  wireOf(client).on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (demotions.includes(parameterName) && parameterValue === 'on') database.demoted(generation);
  });
  if (database.current() !== generation) lose(new DatabaseNotCurrent());
  return generation;
};

/** Pg's connection under a client, which its types leave out. */
export const wireOf = (client: Client) =>
  (
    client as unknown as {
      readonly connection: {
        readonly stream: { destroy(error?: Error): void };
        on(event: 'parameterStatus', heard: (report: ServerReport) => void): void;
      };
    }
  ).connection;
