import type { PipelinedReader } from './pipelined-reader.ts';

/** Resolves with any answer of the database. @throws when it cannot be reached */
export const ping = async (reader: PipelinedReader): Promise<void> => void (await reader.query(anything, []));

const anything = { name: 'anything', text: 'select 1' };
