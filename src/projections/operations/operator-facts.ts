import { statement } from '../../common/transaction.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { readBreakGlass } from '../working-state/break-glass.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** What the database knows about all workers, whichever instance leads them. */
export type OperatorFacts = {
  /** Of every group, and of every version that is being rebuilt (`rebuild:NAME:vN`). */
  readonly checkpoints: readonly { readonly name: string; readonly position: Position }[];
  readonly breakGlass: number;
};

export const readOperatorFacts =
  (reader: Pick<PipelinedReader, 'query'>) => async (): Promise<OperatorFacts> => {
    const [rows, breakGlass] = await Promise.all([
      reader.query<{ name: string; commit: string; prepare: string }>(readCheckpoints, []),
      readBreakGlass(reader),
    ]);
    const checkpoints = rows.map(({ name, commit, prepare }) => ({
      name,
      position: { commit: BigInt(commit), prepare: BigInt(prepare) },
    }));
    return { checkpoints, breakGlass };
  };

const readCheckpoints = statement('checkpoints-of-all')`
  select name, commit_position as commit, prepare_position as prepare from checkpoints
  where commit_position is not null order by name`;
