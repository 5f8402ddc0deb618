import type { Pool } from 'pg';
import type { PipelinedReader } from './pipelined-reader.ts';

/** Called when a statement is sent, with its name or first word; what it returns is called with the answer. */
export type BeginQuery = (name: string) => (error?: unknown) => void;

export const observedReader = (
  reader: PipelinedReader,
  begin: BeginQuery,
): PipelinedReader & { readonly waiting: () => number } => {
  let waiting = 0;
  return {
    ...reader,
    waiting: () => waiting,
    query: async (statement, values) => {
      const end = begin(statement.name);
      waiting += 1;
      let failure: unknown;
      try {
        return await reader.query(statement, values);
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        waiting -= 1;
        end(failure);
      }
    },
  };
};

/** From now on, the statements of the pool's connections are reported. */
export const observePool = (pool: Pool, begin: BeginQuery): void => {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: readonly unknown[]) => unknown;
    client.query = ((...given: readonly unknown[]) => ask(query, begin, given)) as typeof client.query;
  });
};

type Callback = (error: unknown, result: unknown) => void;

/** pg accepts a callback, which the pool passes, or returns a promise. */
const ask = (
  query: (...given: readonly unknown[]) => unknown,
  begin: BeginQuery,
  given: readonly unknown[],
): unknown => {
  const end = begin(nameOf(given[0]));
  const last = given.at(-1);
  if (typeof last === 'function') {
    const answered: Callback = (error, result) => {
      end(error ?? undefined);
      (last as Callback)(error, result);
    };
    return query(...given.slice(0, -1), answered);
  }
  const answer = query(...given);
  if (answer instanceof Promise) answer.then(() => end(), end);
  else end();
  return answer;
};

const nameOf = (statement: unknown): string => {
  const { name, text = statement } = statement as { readonly name?: unknown; readonly text?: unknown };
  if (typeof name === 'string' && name !== '') return name;
  return (typeof text === 'string' && /[a-z]+/i.exec(text)?.[0].toLowerCase()) || 'statement';
};
