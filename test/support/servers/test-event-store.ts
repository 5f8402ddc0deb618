import type { NodeOptions } from '#eventstore-node';
import { connectEventStore, type EventStoreOptions } from '../../../src/eventstore/client/esdb.ts';
import { startTestNode, type TestNode } from './node.ts';
import { quietLogger } from '../quiet-logger.ts';
import { patience } from '../patience.ts';

/** A busy machine does not make the gateway give up; an append whose answer is lost is repeated as soon as ever. */
export const patient = { outcomeMs: patience, readMs: patience, unavailableMs: patience };

export type TestEventStore = ReturnType<typeof connectEventStore> & {
  readonly node: TestNode;
  readonly logger: ReturnType<typeof quietLogger>;
};

/** A fresh node in this process with a connected gateway; `close()` ends both. */
export const testEventStore = async (
  options: Omit<EventStoreOptions, 'url' | 'logger'> & { readonly node?: Partial<NodeOptions> } = {},
): Promise<TestEventStore> => {
  const node = await startTestNode(options.node);
  const logger = quietLogger();
  const timeouts = { ...patient, ...options.timeouts };
  const store = connectEventStore({ ...options, timeouts, url: node.url, logger });
  const close = async (): Promise<void> => {
    await store.close();
    await node.close();
  };
  return { ...store, node, logger, close };
};
