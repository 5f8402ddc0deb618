import type { MessageToPublish } from '../kafka-client.ts';

/**
 * Splits a batch into runs. Each run is published after the previous one was acknowledged. Within a run, a key occurs
 * in one topic only, so a reader of all topics never sees a message before an earlier one of its key. Messages of a key
 * stay in order. The number of runs depends only on how often a key changes topics, not on the number of keys.
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
