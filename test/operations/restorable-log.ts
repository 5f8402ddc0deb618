import { startNode } from '#eventstore-node';
import { freshDatabase } from '../support/servers/databases.ts';
import { backUp, forget, restore } from './running.ts';

/** An event store at one address, which a copy of its log can be put back into, as a backup is. */
export type RestorableLog = {
  readonly url: string;
  /** It does not answer meanwhile. @returns the name of the copy */
  backUp(): Promise<string>;
  /** What came after the copy is gone. */
  restore(copy: string): Promise<void>;
  /** The copies are gone, too. */
  close(): Promise<void>;
};

export const startRestorableLog = async (): Promise<RestorableLog> => {
  const database = await freshDatabase();
  let node = await startNode({ databaseUrl: database.url });
  const { port, url } = node;
  const copies: string[] = [];
  const stopped = async (meanwhile: () => Promise<unknown>): Promise<void> => {
    await node.close();
    await meanwhile();
    node = await startNode({ databaseUrl: database.url, port });
  };
  return {
    url,
    async backUp() {
      let copy = '';
      await stopped(async () => (copy = await backUp(database.url)));
      copies.push(copy);
      return copy;
    },
    restore: (copy) => stopped(() => restore(database.url, copy)),
    async close() {
      await node.close();
      await Promise.all(copies.map(forget));
      await database.drop();
    },
  };
};
