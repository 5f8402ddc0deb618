import { pino } from 'pino';
import { httpParts } from '../../src/compose/http.ts';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { composeServer } from '../../src/compose/server.ts';
import type { AccessRight } from '../../src/domain/records/access-right.ts';
import { makeListReader } from '../../src/projections/lists/read/list-reader.ts';
import {
  makePipelinedReader,
  type PipelinedReader,
} from '../../src/projections/database/pipelined-reader.ts';
import { fencelessReader } from '../revocation/fenceless.ts';

/** The service's list of access rights at two addresses of one process: unchanged, and without reading the fence. */
const config = readConfig(process.env);
const databaseUrl = config.databaseUrl ?? '';
const logger = pino({ level: 'warn' });
const core = await composeService(config, { databaseUrl, eventStoreUrl: config.eventStoreUrl ?? '' }, logger);
const none = { role: 'stopped', healthy: true, caughtUp: true, position: null, stuckAt: null } as const;
const noWorkers = {
  trusted: () => true,
  lag: () => [],
  readsStoredAt: () => 0,
  trust: () => ({ accepted: true, logAgrees: true, databases: 0 }),
  logLost: new Promise<string>(() => undefined),
  ready: Promise.resolve(),
  status: () => ({ projector: none, revocations: none, history: none }),
  kafka: () => null,
  removedRows: () => ({}),
  pushFailures: () => 0,
  healthy: () => true,
  stop: () => Promise.resolve(),
};

const serve = async (reader: PipelinedReader): Promise<string> => {
  const needs = httpParts(core, () => noWorkers, { baseUrl: 'http://127.0.0.1' });
  const readModels = {
    ...core.readModels,
    accessRights: makeListReader<AccessRight>(reader, 'access_rights'),
  };
  const app = composeServer({ ...needs, readModels });
  return app.listen({ host: '127.0.0.1', port: 0 });
};
/** The same connections for both: on a busy machine one backend may be faster than another for a long time. */
const reader = makePipelinedReader({ databaseUrl, logger, connections: 2 });

console.log(JSON.stringify({ fenced: await serve(reader), fenceless: await serve(fencelessReader(reader)) }));
process.on('SIGTERM', () => process.exit(0));
