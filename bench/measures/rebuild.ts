import { pino } from 'pino';
import { composePersonal } from '../../src/compose/personal.ts';
import { readConfig } from '../../src/config/config.ts';
import { drop } from '../../src/projections/rebuild/drop.ts';
import { rebuildables, type Rebuildable } from '../../src/projections/rebuild/rebuildables.ts';
import { startChild, startChildIn } from '../child.ts';
import { copyRows } from '../rebuild/copy-rows.ts';
import type { Built } from '../rebuild/rebuild-one.ts';
import { seedLog } from '../rebuild/seed-log.ts';
import { result, type Result } from '../results.ts';
import { startServers } from '../revocation/servers.ts';
import { tell } from '../tell.ts';

type Options = {
  /** The value of `--only`. */
  readonly only: string | undefined;
  /** Number of events in the log, of all types. */
  readonly events: number;
};

type Urls = {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly env: NodeJS.ProcessEnv;
};

/**
 * Rebuilds every read model from one log, compared with the client's decoding of the same events and COPY of the
 * resulting rows. Uses its own servers, with no other load.
 */
export const measureRebuild = async ({ only, events }: Options): Promise<readonly Result[]> => {
  const servers = await startServers();
  try {
    const empty = await servers.startNode();
    await empty.close(); // creates its tables
    tell(`writing a log of ${events} events`);
    const config = readConfig(servers.env(empty.url));
    const personal = await composePersonal(config, servers, pino({ level: 'warn' }));
    await seedLog({ ...servers, personal: personal.data }, events);
    await personal.close();
    const node = await servers.startNode();
    try {
      const urls = {
        databaseUrl: servers.databaseUrl,
        eventStoreUrl: node.url,
        env: servers.env(node.url),
      };
      const results: Result[] = [];
      for (const rebuildable of chosen(only)) results.push(...(await measureOne(urls, rebuildable)));
      return results;
    } finally {
      await node.close();
    }
  } finally {
    await servers.close();
  }
};

/** The read model whose memory is measured: the one with the most events. */
const largest = 'grants';

const chosen = (only: string | undefined): readonly Rebuildable[] => {
  const of = only?.startsWith('rebuild-memory-') ? `rebuild-${largest}` : only;
  const named = rebuildables.filter(({ name }) =>
    ['', '-client', '-copy'].some((what) => of === `rebuild${what}-${name}`),
  );
  return named.length > 0 ? named : rebuildables;
};

const measureOne = async (
  urls: Urls,
  { name, projection, tables }: Rebuildable,
): Promise<readonly Result[]> => {
  tell(`rebuilding ${name}`);
  const client = await startChild<{ events: number; seconds: number }>(
    'catch-up',
    urls.eventStoreUrl,
    projection.eventTypes.join(','),
  );
  await client.stop();
  const { events } = client.said;
  const ceiling = events / client.said.seconds;
  const rate = ({ seconds }: { readonly seconds: number }) => events / seconds;

  const built = await build(urls, name);
  const copied = await copyRows(urls.databaseUrl, { schema: built.schema, tables });
  await remove(urls, name, built);
  if (built.events !== events)
    throw new Error(`a rebuild of ${name} has read ${built.events} of ${events} events`);
  return [
    result(`rebuild-client-${name}`, ceiling, 'events/s', events),
    result(`rebuild-copy-${name}`, rate({ seconds: copied }), 'events/s', events),
    result(`rebuild-${name}`, rate(built), 'events/s', events, ceiling),
    ...(name === largest
      ? [
          result('rebuild-memory-early', built.early, 'MB', events),
          result('rebuild-memory-late', built.late, 'MB', events, built.early),
        ]
      : []),
  ];
};

const build = async (urls: Urls, name: string): Promise<Built> => {
  const built = await startChildIn<Built>(
    urls.env,
    '../rebuild/rebuild-one',
    urls.databaseUrl,
    urls.eventStoreUrl,
    name,
  );
  await built.stop();
  return built.said;
};

const remove = ({ databaseUrl }: Urls, name: string, { version }: Built) =>
  drop(
    { databaseUrl, logger: pino({ level: 'warn' }), signal: new AbortController().signal },
    { name, version },
  );
