import { createHash, randomBytes } from 'node:crypto';
import { endInstance, type Instance, readyInstance, spawnInstance } from './instance.ts';

/** Where two instances of the service meet. The database needs no tables yet: the first start makes them. */
export type SharedStores = { readonly databaseUrl: string; readonly eventStoreUrl: string };

type Settings = Readonly<Record<string, string>>;

export type TwoInstances = {
  /** What both were started with, for a third one or for commands beside them. */
  readonly settings: Settings;
  /** The two that run now. */
  readonly instances: readonly [Instance, Instance];
  /** Starts one again in the place of one that has ended; it listens on another port. */
  readonly restart: (place: 0 | 1) => Promise<Instance>;
  /** SIGTERM to both; one that hangs or is stopped is killed after a while. */
  readonly stop: () => Promise<void>;
};

/** What makes several processes one service: the same two stores and the same keys. No limits, little talk. */
export const sharedSettings = ({ databaseUrl, eventStoreUrl }: SharedStores): Settings => ({
  DATABASE_URL: databaseUrl,
  EVENTSTORE_URL: eventStoreUrl,
  TOKEN_KEYS: `shared:${randomBytes(32).toString('base64url')}`,
  // Whoever opens the same database later, in another process, opens what is signed in it.
  PERSONAL_DATA_KEYS: `shared:${createHash('sha256').update(databaseUrl).digest('base64url')}`,
  LOG_LEVEL: 'warn',
  RATE_LIMIT_ACTIVATION: '0',
  RATE_LIMIT_ADDON: '0',
  RATE_LIMIT_TOKEN: '0',
  RATE_LIMIT_SIGN_IN: '0',
});

/**
 * Two processes of the built service on the same stores, for tests and for programs beside them. Both die with this
 * process; still, whoever starts them stops them.
 * @param stores of both, or of each: the second may see them through a proxy of its own
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

/** Both, or none: when one does not start, the other is not left behind. */
const both = async (first: Promise<Instance>, second: Promise<Instance>): Promise<[Instance, Instance]> => {
  try {
    return await Promise.all([first, second]);
  } catch (error) {
    const started = await Promise.allSettled([first, second]);
    for (const each of started) if (each.status === 'fulfilled') each.value.child.kill('SIGKILL');
    throw error;
  }
};

const patience = 15_000;

const stopOrKill = async (instance: Instance): Promise<void> => {
  const timer = setTimeout(() => instance.child.kill('SIGKILL'), patience);
  await endInstance(instance, 'SIGTERM');
  clearTimeout(timer);
};
