import type { TopicReport } from '../../kafka/topics.ts';

/** In seconds, as in the settings; `retention` is null for unlimited, and absent if unknown. */
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
