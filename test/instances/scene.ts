import { startCallbackServer } from '../../demo/callback-server.ts';
import { composeService, type ServiceCore } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { freePort } from '../support/servers/free-port.ts';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { valueOf } from '../support/outcomes.ts';
import { startRoundRobin, type RoundRobin } from '../support/servers/round-robin.ts';
import { sharedSettings, type SharedStores } from '../support/shared-settings.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

/** Two processes of the service behind a proxy that sends each request to the other one, and the commands next to them. */
export type Scene = {
  readonly stores: SharedStores;
  readonly node: TestNode;
  readonly proxy: RoundRobin;
  /** Where each listens itself. */
  readonly addresses: readonly [string, string];
  readonly instances: readonly [Instance, Instance];
  readonly core: ServiceCore;
  /** Of both instances. */
  readonly settings: Readonly<Record<string, string>>;
  readonly redirectUri: string;
  readonly organizationId: string;
  readonly userId: string;
  close(): Promise<void>;
};

export const person = { email: 'bo@example.com', password: 'correct horse battery staple' };

export const startScene = async (more: Readonly<Record<string, string>> = {}): Promise<Scene> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  const open = async <T>(opened: Promise<T>, closer: (value: T) => Promise<unknown>): Promise<T> => {
    const value = await opened;
    closers.push(() => closer(value));
    return value;
  };
  try {
    const node = await open(startTestNode(), (value) => value.close());
    const database = await open(freshDatabase(), (value) => value.drop());
    const proxy = await open(startRoundRobin(), (value) => value.close());
    const callback = await open(startCallbackServer(), (value) => value.close());
    const stores = { databaseUrl: database.url, eventStoreUrl: node.url };
    const settings = {
      ...sharedSettings(stores),
      BASE_URL: proxy.url,
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'info',
      ...more,
    };
    const start = async () => {
      const port = await freePort();
      const started = readyInstance(spawnInstance({ ...settings, PORT: String(port) }));
      await open(started, (instance) => endInstance(instance, 'SIGKILL'));
      return [await started, `http://127.0.0.1:${port}`] as const;
    };
    const [first, second] = await Promise.all([start(), start()]);
    proxy.lead([first[1], second[1]]);
    const core = await open(composeService(readConfig(settings), stores, watchedLogger()), (value) =>
      value.close(),
    );
    const { organizationId } = valueOf(await core.commands.createOrganization({ name: 'Harbour House' }));
    const administrator = { ...person, name: 'Bo', administratorOf: [organizationId], roles: [] };
    const { userId } = valueOf(await core.commands.createUser(administrator));
    return {
      stores,
      node,
      proxy,
      core,
      settings,
      organizationId,
      userId,
      close,
      addresses: [first[1], second[1]],
      instances: [first[0], second[0]],
      redirectUri: callback.redirectUri,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
