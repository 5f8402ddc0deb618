import { makeBatchLoader } from '../database/batch-loader.ts';
import type { Named, PipelinedReader } from '../database/pipelined-reader.ts';

const mostOwners = 1_000;

/** The ids that belong to another one. Those who are asked about at once share a statement, which selects `owner` and `id` by `$1`. */
export const loadIdsByOwner = (
  reader: PipelinedReader,
  statement: Named,
): ((owner: string) => Promise<readonly string[]>) =>
  makeBatchLoader(async (owners) => {
    type Row = { readonly owner: string; readonly id: string };
    const found = new Map(owners.map((owner): [string, string[]] => [owner, []]));
    for (const { owner, id } of await reader.query<Row>(statement, [owners])) found.get(owner)?.push(id);
    return owners.map((owner) => found.get(owner) ?? []);
  }, mostOwners);
