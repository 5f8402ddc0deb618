import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Timeouts } from '../eventstore/client/timeouts.ts';
import type { Telemetry } from '../observability/tracing/telemetry.ts';
import { composeCore } from './core.ts';
import { composeRequests } from './requests.ts';
import type { Servers } from './stores.ts';

/** Categories of what every page and authorization decides by. */
export const keptStreams = [
  'account',
  'activation',
  'addon',
  'consent',
  'organization',
  'publisher',
  'session',
] as const;

/** The parts of an instance of the service; its workers (`startWorkers`) and HTTP (`httpParts`) come on top. */
export const composeService = async (
  config: Config,
  servers: Servers,
  logger: Logger,
  telemetry: Telemetry | null = null,
  timeouts: Partial<Timeouts> = {},
) => {
  const core = await composeCore({
    config,
    servers,
    logger,
    telemetry,
    named: (store) => store,
    timeouts,
    keep: keptStreams,
  });
  return { ...core, ...composeRequests(core) };
};

export type ServiceCore = Awaited<ReturnType<typeof composeService>>;
