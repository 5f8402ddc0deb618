import type { EmbeddedNode, NodeOptions } from '../../src/start-node.ts';
import { startNode } from '../../src/start-node.ts';
import { freshDatabase } from './databases.ts';

export type TestNode = EmbeddedNode & { readonly databaseUrl: string };

/** An embedded node in this process, on a database of its own; `close()` removes the database too. */
export const startTestNode = async (options: Partial<NodeOptions> = {}): Promise<TestNode> => {
  const database = await freshDatabase();
  try {
    const node = await startNode({ databaseUrl: database.url, ...options });
    const close = async (): Promise<void> => {
      await node.close();
      await database.drop();
    };
    return { ...node, databaseUrl: database.url, close };
  } catch (error) {
    await database.drop();
    throw error;
  }
};
