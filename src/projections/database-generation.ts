import type { QueryResult } from 'pg';

/**
 * Which database the connections of this process lead to. After a restore, a failover or a move, another database is
 * behind the same address, and it may hold less than what was already answered from the first one: each of them is a
 * generation.
 */
export type DatabaseGeneration = {
  /** Identifies the database behind a new connection, before anything else is read over it. @returns its generation */
  meet(client: Questionable): Promise<number>;
  current(): number;
  /** Reports that it looks like the same database but holds less than before. */
  wentBack(): void;
  /**
   * Reports that the fence of this generation has caught up with the log. @returns false when there is a newer
   * generation by now
   */
  trust(generation: number): boolean;
  /** Whether that was reported for the current generation. */
  isTrusted(): boolean;
  /** Null where it was never reported, as in a command; then reads are not guarded. */
  trustedGeneration(): number | null;
  /** Called immediately for each new generation. @returns a function that stops it */
  onChange(listener: () => void): () => void;
};

type Questionable = { query(text: string): Promise<QueryResult<{ identity: string }>> };

/**
 * A physical backup comes with a new start of the server, a logical one with another database or another table. A mere
 * restart of the server counts, too: from here nobody can tell whether it lost anything.
 */
const identityQuery = `
  select concat_ws('/', extract(epoch from pg_postmaster_start_time()),
                   (select oid from pg_database where datname = current_database()), to_regclass('fence')::oid) as identity`;

export const makeDatabaseGeneration = (): DatabaseGeneration => {
  let identity: string | null = null;
  let generation = 0;
  let trusted: number | null = null;
  const listeners = new Set<() => void>();
  const begin = () => {
    generation += 1;
    for (const listener of listeners) listener();
  };
  return {
    async meet(client) {
      const { rows } = await client.query(identityQuery);
      const met = rows[0]?.identity ?? '';
      const isFirst = identity === null;
      const isOther = identity !== met;
      identity = met;
      if (isOther && !isFirst) begin();
      return generation;
    },
    current: () => generation,
    wentBack: begin,
    trust(of) {
      if (of !== generation) return false;
      trusted = of;
      return true;
    },
    isTrusted: () => trusted === generation,
    trustedGeneration: () => trusted,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
