import { once } from 'node:events';
import { resolve } from 'node:path';
import { answer, type Answer } from './answer.ts';
import type { CliIo } from './cli-io.ts';
import { leaf, type AddCommands } from './define.ts';
import { parsePort } from './option-values.ts';

type Options = { readonly port: number; readonly dataDir: string };

export const addEventstoreCommand: AddCommands = (program, io, run) => {
  leaf(program, 'eventstore', 'run only the embedded EventStoreDB-compatible node, in the foreground')
    .requiredOption('--port <port>', 'port to listen on at 127.0.0.1; 0 picks a free one', parsePort)
    .option('--data-dir <folder>', 'where it keeps its data', '.grantbook-eventstore')
    .action((options: Options) => run((say) => runNode(io, options, say)));
};

/** Runs until Ctrl-C or SIGTERM. The servers are loaded only here: no other command needs them. */
const runNode = async (
  { signal }: CliIo,
  { port, dataDir }: Options,
  say: (said: Answer) => void,
): Promise<null> => {
  const { startPostgres } = await import('../embedded/postgres/start-postgres.ts');
  const { startNode } = await import('../embedded/node/start-node.ts');
  const postgres = await startPostgres({ dataDir: resolve(dataDir) });
  try {
    await postgres.createDatabase('eventstore');
    const node = await startNode({ databaseUrl: postgres.url('eventstore'), port });
    say(
      answer(
        { url: node.url, port: node.port, data_dir: resolve(dataDir) },
        `ready ${node.url} (data in ${resolve(dataDir)}; Ctrl-C stops it)`,
      ),
    );
    if (!signal.aborted) await once(signal, 'abort');
    await node.close();
  } finally {
    await postgres.close();
  }
  return null;
};
