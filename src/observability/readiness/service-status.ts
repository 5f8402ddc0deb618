import { typesWithSubjects } from '../../domain/events.ts';
import type { EventStore, LogSubscriptions } from '../../eventstore/event-store.ts';
import { kafkaTrouble, type KafkaStatus } from '../../kafka/status.ts';
import {
  checkpointOf,
  liveReadModels,
  readCheckpoint,
  type CheckpointRow,
} from '../../projections/follow/checkpoint.ts';
import { historyGroup } from '../../projections/history/history.ts';
import type { WorkerStatus } from '../../projections/leadership/leader-elected-worker.ts';
import { readDatabaseStatus } from '../../projections/operations/database-status.ts';
import type { OperatorStatus, WorkerHealth } from '../../projections/operations/status.ts';
import { sampleLag } from '../../projections/operations/sample-lag.ts';
import { countParked, type ParkedCount } from '../../projections/parking/parked-rows.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import type { PipelinedReader } from '../../projections/database/pipelined-reader.ts';
import { eventTypesOf } from '../../projections/follow/projector.ts';
import { readModelProjections } from '../../projections/read-model-projections.ts';
import { thisInstance } from '../../projections/leadership/this-instance.ts';
import { signalsGroup, signalsTypes } from '../../signals/projection.ts';

export type ServiceStatusDependencies = {
  readonly log: LogSubscriptions & Pick<EventStore, 'head'>;
  readonly reader: PipelinedReader;
  readonly pool: Tx;
  readonly now: () => number;
  /** The number of persons for whom an instance found the key missing but not deleted. */
  readonly countLostKeys: () => Promise<number>;
};

export type StatusSources = {
  readonly status: () => Readonly<Record<string, WorkerStatus>>;
  readonly kafka: () => KafkaStatus | null;
  readonly lag: () => OperatorStatus['lag'];
};

export const makeServiceStatus = ({ log, reader, pool, now, countLostKeys }: ServiceStatusDependencies) => {
  const checkpointIn = (name: string) => async () =>
    checkpointOf(await reader.query<CheckpointRow>(readCheckpoint, [name]));
  const readModelTypes = eventTypesOf(readModelProjections);
  return {
    startSampling: () =>
      sampleLag({
        log,
        now,
        groups: [
          { name: liveReadModels, eventTypes: readModelTypes, checkpoint: checkpointIn(liveReadModels) },
          { name: historyGroup, eventTypes: typesWithSubjects, checkpoint: checkpointIn(historyGroup) },
          { name: signalsGroup, eventTypes: signalsTypes, checkpoint: checkpointIn(signalsGroup) },
        ],
      }),
    read: async ({ status, kafka, lag }: StatusSources) => ({
      at: now(),
      instance: thisInstance,
      database: await readDatabaseStatus(pool).catch(() => null),
      lostKeys: await countLostKeys().catch(() => null),
      lag: lag(),
      workers: [
        ...Object.entries(status()).map(([name, { role, healthy, stuckAt }]) => ({
          name,
          state: stuckAt ? `${role} at ${stuckAt.type} ${stuckAt.id}` : role,
          health: healthOf(healthy),
        })),
        ...kafkaWorkers(kafka()),
      ],
    }),
    countParked: () => reader.query<ParkedCount>(countParked, []),
  };
};

const healthOf = (healthy: boolean): WorkerHealth => (healthy ? 'ok' : 'failing');

const kafkaWorkers = (kafka: KafkaStatus | null): OperatorStatus['workers'] => {
  if (kafka === null) return [{ name: 'Kafka', state: 'not configured', health: 'off' }];
  const { relay, ingest } = kafka;
  const idle = { members: [] };
  const outward = kafkaTrouble({ relay, ingest: { ...ingest, ...idle } });
  const inward = ingest.members.map(
    ({ group, consumption: { state, trouble } }) => `${group}: ${trouble ?? state}`,
  );
  const inTrouble = ingest.members.some(
    ({ consumption: { state, trouble } }) => state === 'unreachable' || trouble !== null,
  );
  return [
    {
      name: 'Kafka relay',
      state: outward ?? `${relay.role}, ${relay.waiting} events wait`,
      health: healthOf(outward === null),
    },
    { name: 'Kafka ingest', state: inward.join('; ') || 'no group yet', health: healthOf(!inTrouble) },
  ];
};
