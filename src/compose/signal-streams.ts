import { makeNewId } from '../commands/kernel/new-id.ts';
import { makeManageStreams } from '../signals/manage-streams.ts';
import { composeEndpointGuard } from './signal-push.ts';
import type { Stores } from './stores.ts';

/** The management of signal streams, for their add-ons and for operators. */
export const composeSignalStreams = (
  { config, pool, reader, now }: Pick<Stores, 'config' | 'pool' | 'reader' | 'now'>,
  baseUrl: string,
) =>
  makeManageStreams({
    pool,
    reader,
    guard: composeEndpointGuard(config, baseUrl),
    issuer: config.issuer ?? baseUrl,
    newId: makeNewId(now),
    now,
  });
