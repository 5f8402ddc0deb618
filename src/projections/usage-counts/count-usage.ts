import { makeBatches } from '../kernel/counts-in-batches.ts';
import { dayMs } from '../read-counts/list-read.ts';

/** Something that an add-on did, or that happened to it. */
export type AddonUse = {
  readonly addonId: string;
  readonly kind: 'token' | 'list' | 'refusal' | 'limit';
  /** The list, the policy, or the endpoint and the reason. */
  readonly name: string;
  readonly requestId: string;
};

export type CountedUse = {
  readonly addonId: string;
  readonly day: number;
  readonly kind: AddonUse['kind'];
  readonly name: string;
  count: number;
  lastAt: number;
  requestId: string;
};

export type UsageCounter = ReturnType<typeof makeUsageCounter>;

/** Counts in memory. Beyond its bound, what is new is not counted until the rest is stored: anybody can claim to be an add-on. */
export const makeUsageCounter = ({
  now,
  most = 20_000,
}: {
  readonly now: () => number;
  readonly most?: number;
}) => {
  let uses = new Map<string, CountedUse>();
  return {
    ...makeBatches(() => {
      const counted = [...uses.values()];
      uses = new Map();
      return counted;
    }),
    count: ({ addonId, kind, name, requestId }: AddonUse): void => {
      const at = now();
      const day = at - (at % dayMs);
      const key = `${day} ${addonId} ${kind} ${name}`;
      const known = uses.get(key);
      if (known) {
        known.count += 1;
        known.lastAt = at;
        known.requestId = requestId;
      } else if (uses.size < most)
        uses.set(key, { addonId, day, kind, name, count: 1, lastAt: at, requestId });
    },
  };
};
