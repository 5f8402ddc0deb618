import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { readConfig } from '../config/config.ts';
import { answer, type Answer } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { leaf, type AddCommands } from './base/define.ts';
import { parsePort } from './base/option-values.ts';

type Options = { readonly port: number; readonly dataDir?: string };

export const addEventstoreCommand: AddCommands = (program, io, run) => {
  leaf(
    program,
    'eventstore',
    'run only the embedded EventStoreDB-compatible node, in the foreground, for every local client',
  )
    .requiredOption('--port <port>', 'port to listen on at 127.0.0.1; 0 picks a free one', parsePort)
    .option('--data-dir <folder>', 'data folder (default: DATA_DIR, so the log of the service)')
    .action((options: Options) => run((say) => serve(io, options, say)));
};

/** Serves until Ctrl-C or SIGTERM. The server modules are loaded only here, because no other command needs them. */
const serve = async (
  { env, signal }: CliIo,
  options: Options,
  say: (said: Answer) => void,
): Promise<null> => {
  const config = readConfig(env);
  const dataDir = options.dataDir === undefined ? config.dataDir : resolve(options.dataDir);
  const closers: (() => Promise<void>)[] = [];
  try {
    const production = config.environment === 'production';
    const { url, ended } = await start({ dataDir, port: options.port, production }, closers);
    say(
      answer(
        { url, port: Number(new URL(url).port), data_dir: dataDir },
        `ready ${url} (data in ${dataDir}; Ctrl-C stops it)\n${OPEN_TO_ALL}`,
      ),
    );
    const isStopped =
      signal.aborted || (await Promise.race([once(signal, 'abort'), ended.then(() => false)]));
    if (isStopped) return null;
    throw new Error('the embedded PostgreSQL has ended; a new start recovers');
  } finally {
    for (const close of closers.toReversed()) await close();
  }
};

const OPEN_TO_ALL = 'No credentials, no TLS: every user of this machine can read this log and append to it.';

/** `ended` settles when the underlying database ends: without it the server can never be ready again. */
type Serving = { readonly url: string; readonly ended: Promise<unknown> };

type Place = { readonly dataDir: string; readonly port: number; readonly production: boolean };

/** Uses the service's own data, so that its log can be served while the service is stopped. */
const start = async (place: Place, closers: (() => Promise<void>)[]): Promise<Serving> => {
  const { claimDataDir } = await import('../embedded/owner-lock.ts');
  const { startPostgres } = await import('#eventstore-node/postgres');
  const { startNode } = await import('#eventstore-node');
  const lock = await claimDataDir(place.dataDir);
  closers.push(lock.release);
  const postgres = await startPostgres({ dataDir: join(place.dataDir, 'postgres'), group: lock.group });
  closers.push(postgres.close);
  await postgres.createDatabase('grantbook_log');
  const { port, production } = place;
  const node = await startNode({ databaseUrl: postgres.url('grantbook_log'), port, production });
  closers.push(() => node.close());
  lock.publish({ eventStoreUrl: node.url });
  return { url: node.url, ended: postgres.ended };
};
