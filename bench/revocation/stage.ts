import { pino } from 'pino';
import { makeNewId } from '../../src/commands/kernel/new-id.ts';
import { composeService, type ServiceCore } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import type { PersonalData } from '../../src/eventstore/codec/personal-data.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { startProjector } from '../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { redirectUri, scopes } from '../world.ts';
import { furnish, type Furniture } from './furnish.ts';
import { seedGrants, type Seed } from './seed-grants.ts';
import { startServers, type BenchServers } from './servers.ts';

/** Servers that several instances of the service share, and activations with very many live tokens. */
export type Stage = {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** The environment with which an instance, or a child of the bench, finds the servers and the token keys. */
  readonly env: NodeJS.ProcessEnv;
  /** The same servers, opened in this process without workers. */
  readonly core: ServiceCore;
  readonly clientId: string;
  /** Of a session of an administrator of every organization. */
  readonly cookie: string;
  /** An activation with one live token, and records to list with it. */
  readonly home: SeededActivation;
  /** The requested activations, in order. */
  readonly activations: readonly SeededActivation[];
  close(): Promise<void>;
};

export type SeededActivation = {
  readonly organizationId: string;
  readonly grantIds: readonly string[];
};

/** Of the seeded and of the restored activations. */
export const epoch = 1;

const logger = pino({ level: 'warn' });
const records = 200;
const hour = 3_600_000;

/** @param sizes numbers of live tokens, one for each activation */
export const startStage = async (sizes: readonly number[]): Promise<Stage> => {
  const servers = await startServers();
  try {
    const furniture = await withNode(servers, async (eventStoreUrl) => {
      const core = await compose(servers, eventStoreUrl);
      const made = await furnish(core, sizes.length + 1, records);
      await projectAll(servers.databaseUrl, eventStoreUrl, core.personal.data);
      await core.close();
      return made;
    });
    const seeds = [1, ...sizes].map((size, index) => seedOf(furniture, index, size));
    await seedGrants(servers, seeds);
    return await open(servers, furniture, seeds);
  } catch (error) {
    await servers.close();
    throw error;
  }
};

const withNode = async <T>(servers: BenchServers, work: (url: string) => Promise<T>): Promise<T> => {
  const node = await servers.startNode();
  try {
    return await work(node.url);
  } finally {
    await node.close();
  }
};

const compose = (servers: BenchServers, eventStoreUrl: string): Promise<ServiceCore> =>
  composeService(
    readConfig(servers.env(eventStoreUrl)),
    { databaseUrl: servers.databaseUrl, eventStoreUrl },
    logger,
  );

const projectAll = async (
  databaseUrl: string,
  eventStoreUrl: string,
  personal: PersonalData,
): Promise<void> => {
  const log = connectEventStore({ url: eventStoreUrl, logger, personal });
  const projector = startProjector({ databaseUrl, log, projections: readModelProjections, logger });
  await projector.caughtUp;
  await projector.stop();
  await log.close();
};

const seedOf = ({ clientId, organizationIds, userIds }: Furniture, index: number, size: number): Seed => {
  const at = Date.now();
  const newId = makeNewId(() => at);
  return {
    terms: {
      addonId: clientId,
      organizationId: organizationIds[index] ?? '',
      epoch,
      scopes,
      redirectUri,
      keyId: 'bench',
      at,
      expiresAt: at + 12 * hour,
    },
    grantIds: Array.from({ length: size }, newId),
    userIds,
  };
};

const open = async (
  servers: BenchServers,
  { clientId, cookie }: Furniture,
  seeds: readonly Seed[],
): Promise<Stage> => {
  const node = await servers.startNode();
  const core = await compose(servers, node.url);
  const [home = noActivation, ...activations] = seeds.map(({ terms: { organizationId }, grantIds }) => ({
    organizationId,
    grantIds,
  }));
  return {
    databaseUrl: servers.databaseUrl,
    eventStoreUrl: node.url,
    env: servers.env(node.url),
    core,
    clientId,
    cookie,
    home,
    activations,
    async close() {
      await core.close();
      await node.close();
      await servers.close();
    },
  };
};

const noActivation: SeededActivation = { organizationId: '', grantIds: [] };
