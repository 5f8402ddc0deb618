import { open } from 'node:fs/promises';
import { LineTooLong, readLines } from '@grantbook/verify';
import { attachMonth } from '../../projections/history/archives/attach-month.ts';
import { HistoryRefused } from '../../projections/history/archives/refusal.ts';
import { answer, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { readArchive } from './read-archive.ts';
import { changingMonths } from './with-months.ts';

export const addHistoryAttach: AddCommands = (history, io, run) => {
  leaf(history, 'attach', 'load an archived month back into the database; the file is kept')
    .argument('<file>', 'a file of `history archive`')
    .action((file: string) => run(() => attach(io, file)));
};

const attach = (io: CliIo, file: string): Promise<Answer> =>
  changingMonths(io, file, async (tx) => {
    const handle = await open(file, 'r');
    try {
      const { month, events, references, sha256 } = await attachMonth(
        tx,
        readArchive(endedLines(handle.createReadStream({ autoClose: false }))),
      );
      return answer(
        { month, file, events, references, sha256 },
        `Attached ${month}: ${events + references} references of ${file}.`,
      );
    } finally {
      await handle.close();
    }
  });

/** Text after the last newline is an incomplete line and ignored. */
async function* endedLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    for await (const { bytes, ended } of readLines(input)) if (ended) yield bytes;
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw new HistoryRefused(
      'not-an-archive',
      'the file is not a history archive: it has a line that is too long',
    );
  }
}
