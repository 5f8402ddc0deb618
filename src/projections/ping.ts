import type { PipelinedReader } from './pipelined-reader.ts';

/** Resolves when the database has answered anything. @throws when it cannot be reached */
export const ping = async (reader: PipelinedReader): Promise<void> => void (await reader.query(anything, []));

const anything = { name: 'anything', text: 'select 1' };
