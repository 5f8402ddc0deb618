import type { TopicReport } from '../kafka/topics.ts';

/** Seconds, as in the settings; `retention` is null for ever, and absent where it is not known. */
export const presentTopic = ({ name, state, partitions, retentionMs, problems, notes }: TopicReport) => ({
  name,
  state,
  partitions,
  ...(retentionMs === undefined
    ? {}
    : { retention: retentionMs === null ? null : Math.floor(retentionMs / 1000) }),
  problems,
  notes,
});
