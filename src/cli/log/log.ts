import { ConfigError, readConfig } from '../../config/config.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { readPassword } from '../base/read-password.ts';
import { copyTo } from './copy.ts';

/** The log as a whole (docs/how-to/copy-the-log.md). */
export const addLogCommands: AddCommands = (program, io, run) => {
  const log = program.command('log').description('copy the whole log to another event store');
  const command = leaf(
    log,
    'copy',
    'copy everything to an empty event store; an interrupted copy continues when it is run again',
  );
  command
    .requiredOption('--to <url>', 'the other event store, as EVENTSTORE_URL; - reads it from standard input')
    .addHelpText(
      'after',
      '\nStop every instance first. The source is the log of EVENTSTORE_URL, or the embedded one of DATA_DIR; it is not changed, except\n' +
        'for a signed head. The other server keeps streams, revisions, ids, types, data, metadata and their order; positions and creation times are its own.\n' +
        'What to do before and after: docs/how-to/copy-the-log.md.',
    )
    .action(({ to }: { readonly to: string }) =>
      run(async () => {
        const url = to === '-' ? await readPassword(io, 'URL: ') : to;
        const problem = problemOf(io.env, url);
        return problem === null ? copyTo(io, url) : command.error(`error: --to: ${problem}`);
      }),
    );
};

/** Checks it like EVENTSTORE_URL. */
const problemOf = (env: CliIo['env'], url: string): string | null => {
  if (url === '') return 'it is empty; allowed: esdb://host:port?tls=… or esdb+discover://…';
  const { EVENTSTORE_URL_FILE: _, ...others } = env;
  try {
    readConfig({ ...others, EVENTSTORE_URL: url });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const about = error.problems.find((problem) => problem.startsWith('EVENTSTORE_URL'));
    if (about) return about.replace(/^EVENTSTORE_URL: /, '');
  }
  return null;
};
