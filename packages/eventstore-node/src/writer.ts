import type { Commits } from './commits.ts';
import type { Known, Log } from './log.ts';
import type { Head, Heads } from './heads.ts';
import type { Group, Outcome, Request, Stamp } from './group.ts';
import { lookups, openGroup } from './group.ts';
import { writeGroup } from './group-insert.ts';
import { baseOf } from './record.ts';
import type { WriterConnection } from './writer-connection.ts';

/** Nothing was written: try again. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** The connection was lost during the commit; it may have succeeded. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The single serial writer. Outcomes arrive in the order of submission, each after the fsync of its group. */
export type Writer = {
  /** @throws NotReady @throws OutcomeUnknown */
  submit(request: Request): Promise<Outcome>;
  /** Number of transactions and requests so far: shows how well groups are filled. */
  stats(): { readonly groups: number; readonly requests: number };
  /** Finishes submitted requests; later ones are rejected with NotReady. */
  close(): Promise<void>;
};

type Waiting = {
  readonly request: Request;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
};

const groupRequests = 1024;
const groupBytes = 4 * 1024 * 1024;

export type WriterDependencies = {
  readonly connection: WriterConnection;
  readonly log: Log;
  readonly heads: Heads;
  readonly commits: Commits;
  readonly stamp: Stamp;
  readonly onError: (error: unknown) => void;
};

export const startWriter = (dependencies: WriterDependencies): Writer => {
  const queue: Waiting[] = [];
  const counts = { groups: 0, requests: 0 };
  let working: Promise<void> | undefined;
  let closed = false;

  const work = async (): Promise<void> => {
    // Wait one tick of the event loop, so that appends from the same packet share the first group.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (queue.length > 0) {
      const waiting = takeGroup(queue);
      counts.requests += waiting.length;
      if (await settle(dependencies, waiting)) counts.groups += 1;
    }
  };

  const start = (): void => {
    working ??= work().finally(() => {
      working = undefined;
      if (queue.length > 0) start();
    });
  };

  return {
    submit: (request) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new NotReady('the node is shutting down'));
        queue.push({ request, resolve, reject });
        // Preload unknown heads while the previous group commits. A failure recurs when the group needs them.
        if (working) dependencies.heads.load([baseOf(request.stream)]).catch(() => undefined);
        start();
      }),
    stats: () => ({ ...counts }),
    close: async () => {
      closed = true;
      while (working) await working;
    },
  };
};

const takeGroup = (queue: Waiting[]): Waiting[] => {
  let bytes = 0;
  let count = 0;
  for (const { request } of queue) {
    if (count >= groupRequests || (bytes > groupBytes && count > 0)) break;
    for (const { data, metadata } of request.events) bytes += data.length + metadata.length;
    count += 1;
  }
  return queue.splice(0, count);
};

/** Decides, commits and answers one group; true if it needed a transaction. */
const settle = async (dependencies: WriterDependencies, waiting: readonly Waiting[]): Promise<boolean> => {
  try {
    // The lock is free only once the last commit of the lost connection is over, with or without success.
    if (await dependencies.connection.ready()) recover(dependencies);
    const group = await prepare(
      dependencies,
      waiting.map(({ request }) => request),
    );
    const outcomes = waiting.map(({ request }) => group.add(request));
    if (group.events.length > 0) await commit(dependencies, group);
    waiting.forEach(({ resolve }, index) => {
      const outcome = outcomes[index];
      if (outcome) resolve(outcome);
    });
    return group.events.length > 0;
  } catch (error) {
    dependencies.onError(error);
    const answer =
      error instanceof OutcomeUnknown ? error : new NotReady('Server Is Not Ready', { cause: error });
    for (const { reject } of waiting) reject(answer);
    return false;
  }
};

const prepare = async (
  { heads, log, stamp }: WriterDependencies,
  requests: readonly Request[],
): Promise<Group> => {
  const known = new Map<string, Head>();
  let missing = [...new Set(requests.map(({ stream }) => baseOf(stream)))];
  while (missing.length > 0) {
    await heads.load(missing);
    missing = missing.filter((name) => {
      const head = heads.get(name);
      if (head) known.set(name, head);
      return !head;
    });
  }
  const headOf = (base: string): Head => {
    const head = known.get(base);
    if (!head) throw new Error(`no head loaded for ${base}`);
    return head;
  };
  const earlier = await recall(log, lookups(requests, headOf));
  return openGroup({ head: headOf, known: earlier }, stamp);
};

/** First occurrences of ids come first, because the history keeps the first one. */
const recall = async (log: Log, { pairs, ranges }: ReturnType<typeof lookups>): Promise<Known[]> => [
  ...(pairs.length > 0 ? await log.known(pairs) : []),
  ...(ranges.length > 0 ? await log.ranges(ranges) : []),
];

/** After an unknown outcome, only the database knows the heads and the end of the log. */
const forget = ({ heads, commits }: WriterDependencies): void => {
  heads.forget();
  commits.forget();
};

/** Events that the lost commit may have stored were never published: subscribers must query the database. */
const recover = (dependencies: WriterDependencies): void => {
  forget(dependencies);
  dependencies.commits.wakeAll();
};

const commit = async (dependencies: WriterDependencies, group: Group): Promise<void> => {
  const { connection, heads, commits } = dependencies;
  try {
    await connection.use((client) => writeGroup(client, group.events, group.heads));
  } catch (error) {
    forget(dependencies);
    connection.discard();
    throw new OutcomeUnknown('the commit ended without an answer', { cause: error });
  }
  heads.committed(group.heads);
  commits.publish(group.events);
};
