import type { QueryResult } from 'pg';

/**
 * Which database the connections of this process lead to. A restore, a failover or a move puts another one behind the same
 * address, and what it holds may be older than what was answered from the first: each of them is a generation.
 */
export type DatabaseGeneration = {
  /** Asks a new connection, before anything else is read over it. @returns the generation that it belongs to */
  meet(client: Questionable): Promise<number>;
  current(): number;
  /** It is the same database as far as a connection can tell, and holds less than it did. */
  wentBack(): void;
  /** Says that the fence of this generation holds what the log holds. @returns false when there is a newer one by now */
  vouch(generation: number): boolean;
  /** Whether somebody has said so of the present one. */
  isVouched(): boolean;
  /** Null where nobody vouches for anything, as in a command; then reads are not guarded. */
  vouchedFor(): number | null;
  /** Called at once whenever there is a new generation. @returns stops it */
  onChange(listener: () => void): () => void;
};

type Questionable = { query(text: string): Promise<QueryResult<{ identity: string }>> };

/**
 * A physical backup comes with a new start of the server, a logical one with another database or another table. A server that
 * merely starts again counts, too: what it has lost cannot be told from here.
 */
const identityQuery = `
  select concat_ws('/', extract(epoch from pg_postmaster_start_time()),
                   (select oid from pg_database where datname = current_database()), to_regclass('fence')::oid) as identity`;

export const makeDatabaseGeneration = (): DatabaseGeneration => {
  let identity: string | null = null;
  let generation = 0;
  let vouched: number | null = null;
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
    vouch(of) {
      if (of !== generation) return false;
      vouched = of;
      return true;
    },
    isVouched: () => vouched === generation,
    vouchedFor: () => vouched,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
