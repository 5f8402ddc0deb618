import { pino } from 'pino';
import { withClient } from '../../common/with-client.ts';
import { HistoryRefused } from '../../projections/history/archives/refusal.ts';
import { withSession } from '../../projections/rebuild/session.ts';
import { RebuildRefused } from '../../projections/rebuild/refusal.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import { refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { fileTrouble } from '../base/whole-file.ts';

/** Opens a connection of its own; does not need the event store. */
export const withDatabase = async <T>(io: CliIo, use: (tx: Tx) => Promise<T>): Promise<T> => {
  const servers = await io.openServers({ eventStore: false });
  try {
    return await withClient({ connectionString: servers.databaseUrl }, use);
  } finally {
    await servers.close();
  }
};

/** The same for commands that change months: only one at a time, also with respect to those of `projections`. */
export const changingMonths = async (
  io: CliIo,
  file: string,
  use: (tx: Tx, source: Tx) => Promise<Answer>,
): Promise<Answer> => {
  const servers = await io.openServers({ eventStore: false });
  const { databaseUrl } = servers;
  try {
    return await withSession(
      { databaseUrl, logger: pino({ level: 'silent' }), signal: io.signal },
      'history',
      ({ tx }) => withClient({ connectionString: databaseUrl }, (source) => use(tx, source)),
    );
  } catch (error) {
    if (error instanceof HistoryRefused || error instanceof RebuildRefused)
      return refused(error.code, error.message);
    const trouble = fileTrouble(error);
    if (trouble !== null) return refused('file', `${file} cannot be read or written (${trouble})`);
    throw error;
  } finally {
    await servers.close();
  }
};
