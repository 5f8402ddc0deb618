import { createRequire } from 'node:module';
import { PartitionAssigners, type PartitionAssigner } from 'kafkajs';
import type { ConsumeOptions } from '../kafka-client.ts';

type Cluster = Parameters<PartitionAssigner>[0]['cluster'];
type Place = { readonly topic: string; readonly partition: number };
type OffsetManager = {
  readonly cluster: Cluster;
  nextOffset: (topic: string, partition: number) => { toString(): string };
  setDefaultOffset: (place: Place) => Promise<void>;
};

const load = createRequire(import.meta.url);
const { prototype } = load('kafkajs/src/consumer/offsetManager') as { readonly prototype: OffsetManager };

/**
 * Reports what a partition no longer has before the library forgets where the group was: it commits its default offset when the broker
 * has the next one no longer. While `expired` rejects, the membership ends and begins again, so nothing is read past the gap.
 */
export const watchExpiry =
  (expired: ConsumeOptions['expired'] = () => Promise.resolve()): PartitionAssigner =>
  (context) => {
    patchDefaultOffset();
    const { cluster } = context;
    const fetchOffsets = cluster.fetchTopicsOffset.bind(cluster);
    /** Called for partitions without a committed offset alone. */
    cluster.fetchTopicsOffset = async (topics) => {
      const found = await fetchOffsets(topics);
      for (const { topic, partitions } of found)
        for (const { partition, offset } of partitions)
          if (BigInt(offset) > 0n) await expired({ topic, partition, from: null, until: BigInt(offset) });
      return found;
    };
    beforeDefault.set(cluster, async ({ topic, partition }, from) => {
      const [of] = await fetchOffsets([{ topic, partitions: [{ partition }], fromBeginning: true }]);
      const until = BigInt(of?.partitions[0]?.offset ?? 0);
      if (from < until) await expired({ topic, partition, from, until });
    });
    return PartitionAssigners.roundRobin(context);
  };

const beforeDefault = new WeakMap<Cluster, (place: Place, from: bigint) => Promise<void>>();

/** The library has no hook for this, and no releases. */
const patchDefaultOffset = (): void => {
  if (isPatched) return;
  isPatched = true;
  const setDefault = prototype.setDefaultOffset;
  prototype.setDefaultOffset = async function (this: OffsetManager, place) {
    const from = BigInt(this.nextOffset(place.topic, place.partition).toString());
    await beforeDefault.get(this.cluster)?.(place, from);
    return setDefault.call(this, place);
  };
};

let isPatched = false;
