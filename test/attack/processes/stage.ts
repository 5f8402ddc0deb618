import pg from 'pg';
import type { EmbeddedNode } from '#eventstore-node';
import { composeService, type ServiceCore } from '../../../src/compose/service.ts';
import { readConfig } from '../../../src/config/config.ts';
import { endInstance } from '../../support/servers/instance.ts';
import { valueOf } from '../../support/outcomes.ts';
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy.ts';
import { startTwoInstances } from '../../support/servers/two-instances.ts';
import { watchedLogger } from '../../support/trouble/watched-lines.ts';
import { type Clock, makeClock } from './clock.ts';
import type { Place } from './history.ts';
import { makeWire, type Wire } from './http.ts';
import { type LogWatch, watchLog } from './log-watch.ts';

/** Empty stores of one run. */
export type AttackStores = {
  readonly node: EmbeddedNode;
  /** Over a unix socket, as the embedded server has it. */
  readonly databaseUrl: string;
};

/** Two server processes on the same stores, and everything that can be done to them. */
export type Stage = {
  readonly clock: Clock;
  readonly wire: Wire;
  /** The commands next to the servers: whatever is no part of the attack. */
  readonly core: ServiceCore;
  readonly watch: LogWatch;
  readonly node: EmbeddedNode;
  readonly database: pg.Pool;
  /** Between instance 0 and PostgreSQL. */
  readonly proxy: TcpProxy;
  signal(place: Place, name: 'SIGSTOP' | 'SIGCONT'): void;
  /** kill -9; what instance 0 had sent to PostgreSQL and was not through yet is lost, too. */
  kill(place: Place): Promise<void>;
  /** Starts one again that was killed. */
  restart(place: Place): Promise<void>;
  /** An event that is appended now: whatever is after it in the log was appended after this call. */
  mark(): ReturnType<ServiceCore['commands']['recordProfile']>;
  close(): Promise<void>;
};

/** Long enough for any run on a busy machine: nothing here is to die of old age. */
const lifetimes = { CODE_TTL: '600', REFRESH_GRACE: '600', ACCESS_TOKEN_TTL: '36000' };

export const openStage = async ({ node, databaseUrl }: AttackStores): Promise<Stage> => {
  const proxy = await startTcpProxy(socketOf(databaseUrl));
  const stores = { eventStoreUrl: node.url, databaseUrl };
  const through = { ...stores, databaseUrl: proxiedUrl(databaseUrl, proxy.port) };
  const two = await startTwoInstances([through, stores], lifetimes);
  const level = process.env['ATTACK_LOG'];
  const logger = watchedLogger((line) => level && process.stdout.write(line), level);
  const core = await composeService(readConfig(two.settings), stores, logger);
  const clock = makeClock();
  const wire = makeWire(clock);
  const connect = (place: Place) => wire.connect(place, two.instances[place].baseUrl);
  connect(0);
  connect(1);
  const watch = watchLog(core.store);
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  database.on('error', () => undefined);
  let marks = 0;
  const { organizationId } = valueOf(await core.commands.createOrganization({ name: 'Markers' }));
  return {
    clock,
    wire,
    core,
    watch,
    node,
    database,
    proxy,
    signal: (place, name) => void two.instances[place].child.kill(name),
    async kill(place) {
      await endInstance(two.instances[place], 'SIGKILL');
      if (place === 0) proxy.cut();
    },
    async restart(place) {
      await two.restart(place);
      connect(place);
    },
    mark: () =>
      core.commands.recordProfile({
        organizationId,
        id: `marker_${(marks += 1)}`,
        version: 1,
        record: marker,
      }),
    async close() {
      await watch.close();
      wire.close();
      await two.stop();
      await core.close();
      await database.end();
      await proxy.close();
    },
  };
};

const marker = {
  name: 'Marker',
  email: 'marker@example.com',
  userId: null,
  phone: null,
  locale: null,
  externalId: null,
};

const socketOf = (databaseUrl: string): string => {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  if (folder === null) throw new Error('the attack runs on the embedded PostgreSQL only');
  return `${folder}/.s.PGSQL.${url.port || '5432'}`;
};

const proxiedUrl = (databaseUrl: string, port: number): string => {
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${port}`;
  return url.href;
};
