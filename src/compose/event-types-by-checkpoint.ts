import type { EventType } from '../domain/events.ts';
import { relayCheckpoint } from '../reactions/relay.ts';
import { revocationCauses, revocationsCheckpoint } from '../reactions/make-revocations.ts';
import { publishedTypes } from '../kafka/contract/decisions.ts';
import { liveReadModels } from '../projections/follow/checkpoint.ts';
import { historyGroup, historyTypes } from '../projections/history/history.ts';
import { eventTypesOf } from '../projections/follow/projector.ts';
import { readModelProjections } from '../projections/read-model-projections.ts';
import { signalsGroup, signalsTypes } from '../signals/projection.ts';

/** Which event types are read from each checkpoint on. The others read everything. */
export const eventTypesByCheckpoint = (
  withKafka: boolean,
): Readonly<Record<string, readonly EventType[]>> => ({
  [liveReadModels]: eventTypesOf(readModelProjections),
  [revocationsCheckpoint]: revocationCauses,
  [historyGroup]: historyTypes,
  [signalsGroup]: signalsTypes,
  ...(withKafka && { [relayCheckpoint]: publishedTypes }),
});
