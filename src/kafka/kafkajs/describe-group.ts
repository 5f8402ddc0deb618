import type { Admin } from 'kafkajs';
import { withAdmin } from './session.ts';
import { typeOf, type KafkaConnection } from './connection.ts';

export type PartitionLag = {
  readonly topic: string;
  readonly partition: number;
  /** The next offset that the group reads; null when none is committed. */
  readonly committed: bigint | null;
  /** The offset of the oldest message that the partition has. */
  readonly first: bigint;
  /** The offset of the next message. */
  readonly end: bigint;
  readonly lag: bigint;
};

export type GroupDescription = {
  /** The broker's name of the state: Stable, Empty, PreparingRebalance, Dead …; null without the right to read it. */
  readonly state: string | null;
  readonly members: number;
  readonly partitions: readonly PartitionLag[];
};

/** How far a group has read existing topics. @throws KafkaUnavailable */
export const describeGroup = (
  connection: KafkaConnection,
  group: string,
  topics: readonly string[],
): Promise<GroupDescription> =>
  withAdmin(connection, async (admin) => ({
    ...(await membersOf(admin, group)),
    partitions: topics.length === 0 ? [] : await lagsOf(admin, group, topics),
  }));

const membersOf = async (
  admin: Admin,
  group: string,
): Promise<Pick<GroupDescription, 'state' | 'members'>> => {
  try {
    const { groups } = await admin.describeGroups([group]);
    const [found] = groups;
    return { state: found?.state ?? null, members: found?.members.length ?? 0 };
  } catch (error) {
    // Since Kafka 4, an unknown group has an error code of its own.
    if (typeOf(error) === 'GROUP_ID_NOT_FOUND') return { state: 'Dead', members: 0 };
    if (typeOf(error)?.endsWith('AUTHORIZATION_FAILED')) return { state: null, members: 0 };
    throw error;
  }
};

const lagsOf = async (
  admin: Admin,
  group: string,
  topics: readonly string[],
): Promise<readonly PartitionLag[]> => {
  const fetched = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
  const lags: PartitionLag[] = [];
  for (const topic of topics) {
    const ends = await admin.fetchTopicOffsets(topic);
    const offsets = new Map(
      fetched
        .find((one) => one.topic === topic)
        ?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]),
    );
    for (const { partition, low, high } of ends.toSorted((a, b) => a.partition - b.partition)) {
      const at = offsets.get(partition) ?? -1n;
      const [first, end] = [BigInt(low), BigInt(high)];
      const from = at < first ? first : at;
      const committed = at < 0n ? null : at;
      lags.push({ topic, partition, committed, first, end, lag: from < end ? end - from : 0n });
    }
  }
  return lags;
};
