import type pg from 'pg';
import { pino } from 'pino';
import { vi } from 'vitest';
import { composeCore } from '../../../src/compose/core.ts';
import { httpParts } from '../../../src/compose/http.ts';
import { composeRequests } from '../../../src/compose/requests.ts';
import { keptStreams } from '../../../src/compose/service.ts';
import { composeServer } from '../../../src/compose/server.ts';
import { startWorkers } from '../../../src/compose/workers.ts';
import { readConfig } from '../../../src/config/config.ts';
import { codec } from '../../../src/eventstore/codec/codec.ts';
import type { EventStore, LogSubscriptions } from '../../../src/eventstore/event-store.ts';
import { newestShown } from '../../../src/projections/follow/newest-shown.ts';
import { migratedDatabase } from '../servers/databases.ts';
import { startTestNode } from '../servers/node.ts';
import { sharedSettings } from '../shared-settings.ts';
import { counted, countedStore, countEverything } from './counts.ts';
import { makeGate } from './gate.ts';
import { patience } from '../patience.ts';
import { patient } from '../servers/test-event-store.ts';

/** A statement to the database of the read models. */
type Statement = { readonly client: pg.Client; readonly text: string };

/**
 * The service as it is composed, with all its workers, on a node and a database of its own, in this process; what it does
 * is counted. Requests are injected.
 */
export const startCountedService = async () => {
  const node = await startTestNode();
  const database = await migratedDatabase();
  const settings = sharedSettings({ databaseUrl: database.url, eventStoreUrl: node.url });
  const servers = { databaseUrl: database.url, eventStoreUrl: node.url };
  const config = readConfig({ NODE_ENV: 'test', ...settings });
  const gate = makeGate();
  const statements: Statement[] = [];
  const decoded: string[] = [];
  const ours = new URL(database.url).pathname.slice(1);
  const stopCounting = countEverything((client, text) => {
    if (client.database === ours) statements.push({ client, text });
  });
  const decode = codec.decode.bind(codec);
  const decoding = vi.spyOn(codec, 'decode').mockImplementation((stored) => {
    const counts = counted();
    if (counts) counts.decodings += 1;
    if (gate.isForHeld()) decoded.push(stored.type);
    return decode(stored);
  });
  const named = <Store extends EventStore>(store: Store): Store => ({
    ...countedStore(store),
    subscribe: gate.subscribeTo(store as Store & LogSubscriptions),
  });
  const logger = pino({ level: 'silent' });
  const outside = { config, servers, logger, telemetry: null, named, keep: keptStreams };
  const core = await composeCore({ ...outside, timeouts: patient });
  const service = { ...core, ...composeRequests(core) };
  const baseUrl = 'http://127.0.0.1:8080';
  const workers = await startWorkers(service, baseUrl);
  await workers.ready;
  const app = composeServer(httpParts(service, () => workers, { baseUrl }));
  await app.ready();
  const end = async () => {
    await app.close();
    await workers.stop();
    await service.close();
    decoding.mockRestore();
    stopCounting();
  };
  let ended: Promise<void> | undefined;
  /** Ends the service; its servers stay. */
  const stop = () => (ended ??= end());
  return {
    settings,
    node,
    database,
    gate,
    statements,
    decoded,
    app,
    commands: service.commands,
    store: service.store,
    /** Resolves when what requests left to be done is done. */
    left: service.background.settled,
    settle: async () => {
      await service.background.settled();
      const last = await newestShown(service.store, service.readModels, patience);
      if (last && !(await service.readModels.waitFor(last, patience)))
        throw new Error('the read models are behind');
    },
    stop,
    close: async () => {
      await stop();
      await database.drop();
      await node.close();
    },
  };
};
