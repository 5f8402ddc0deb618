import type { MessageToPublish } from '../kafka-client.ts';

/**
 * Cuts a batch into runs that are published one after the other, each after the acknowledgement of the one before: within a
 * run a key is in one topic only, so no reader of all topics finds a message before an earlier one of its key. Each key's
 * messages stay in order. There are as many runs as the key that changes topics most often needs, however many keys there are.
 */
export const orderedBatches = (
  messages: readonly MessageToPublish[],
): readonly (readonly MessageToPublish[])[] => {
  const runs: MessageToPublish[][] = [];
  const last = new Map<MessageToPublish['key'], { readonly run: number; readonly topic: string }>();
  for (const message of messages) {
    const { key, topic } = message;
    const before = last.get(key);
    const run = before === undefined ? 0 : before.run + (before.topic === topic ? 0 : 1);
    if (before?.run !== run || before.topic !== topic) last.set(key, { run, topic });
    (runs[run] ??= []).push(message);
  }
  return runs;
};
