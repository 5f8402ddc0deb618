import { endInstance, type Instance, readyInstance, spawnInstance } from './instance.ts';
import { patience } from '../patience.ts';
import { sharedSettings, type Settings, type SharedStores } from '../shared-settings.ts';

export type TwoInstances = {
  /** The settings of both, for a third instance or for commands. */
  readonly settings: Settings;
  /** The two running instances. */
  readonly instances: readonly [Instance, Instance];
  /** Restarts one that has ended; it listens on another port. */
  readonly restart: (place: 0 | 1) => Promise<Instance>;
  /** Sends SIGTERM to both; one that hangs or is stopped is killed after a while. */
  readonly stop: () => Promise<void>;
};

/**
 * Two processes of the built service on the same stores. Both end with this process, but the caller should stop them.
 * @param stores of both, or of each: the second may reach them through a proxy of its own
 */
export const startTwoInstances = async (
  stores: SharedStores | readonly [SharedStores, SharedStores],
  more: Settings = {},
): Promise<TwoInstances> => {
  const [first, second] = 'databaseUrl' in stores ? [stores, stores] : stores;
  const settings = { ...sharedSettings(first), ...more };
  const own = [settings, { ...settings, ...addressesOf(second) }] as const;
  const start = (place: 0 | 1) => readyInstance(spawnInstance(own[place]));
  const instances: [Instance, Instance] = await both(start(0), start(1));
  return {
    settings,
    instances,
    async restart(place) {
      instances[place] = await start(place);
      return instances[place];
    },
    stop: async () => void (await Promise.all(instances.map(stopOrKill))),
  };
};

const addressesOf = ({ databaseUrl, eventStoreUrl }: SharedStores): Settings => ({
  DATABASE_URL: databaseUrl,
  EVENTSTORE_URL: eventStoreUrl,
});

/** Both, or none: if one does not start, the other is stopped. */
const both = async (first: Promise<Instance>, second: Promise<Instance>): Promise<[Instance, Instance]> => {
  try {
    return await Promise.all([first, second]);
  } catch (error) {
    const started = await Promise.allSettled([first, second]);
    for (const each of started) if (each.status === 'fulfilled') each.value.child.kill('SIGKILL');
    throw error;
  }
};

const stopOrKill = async (instance: Instance): Promise<void> => {
  const timer = setTimeout(() => instance.child.kill('SIGKILL'), patience);
  await endInstance(instance, 'SIGTERM');
  clearTimeout(timer);
};
