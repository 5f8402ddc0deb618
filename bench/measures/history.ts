import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startLogHeads } from '../../src/reactions/log-heads.ts';
import { composeService } from '../../src/compose/service.ts';
import { historyGroup, historyProjections } from '../../src/projections/history/history.ts';
import { startKeepingStreams } from '../../src/projections/retention/keep-streams.ts';
import { startProjector } from '../../src/projections/follow/projector.ts';
import { readConfig } from '../../src/config/config.ts';
import { closedInAnyCase } from '../closing.ts';
import { commandOf, headCommand, startingCommand } from '../history/audit-command.ts';
import { asked, type Asked } from '../history/names.ts';
import { runAudit, type Cost } from '../history/run-audit.ts';
import { idOf } from '../rebuild/sample-data.ts';
import { seedLog } from '../rebuild/seed-log.ts';
import { result, type Result } from '../results.ts';
import { startServers } from '../revocation/servers.ts';
import { tell } from '../tell.ts';

type Options = {
  /** Number of events in the smaller and in the larger log. */
  readonly sizes: readonly [number, number];
  readonly samples: number;
};

type Costs = { readonly start: Cost; readonly of: ReadonlyMap<Asked, Cost> };

/**
 * The cost of auditors' queries about the same organization in two logs, one ten times as long: CPU of the command and
 * of its servers, less the cost of a command without a query, and the memory of the command.
 */
export const measureHistory = async ({ sizes, samples }: Options): Promise<readonly Result[]> => {
  const [small, large] = [await measureIn(sizes[0], samples), await measureIn(sizes[1], samples)];
  const seconds = (costs: Costs, one: Asked) => (costs.of.get(one)?.cpu ?? 0) - costs.start.cpu;
  return [
    result('history-start', large.start.cpu, 's', samples, small.start.cpu),
    ...asked.flatMap((one) => [
      result(`history-${one}-small`, seconds(small, one), 's', samples),
      result(`history-${one}`, seconds(large, one), 's', samples, seconds(small, one)),
      result(`history-${one}-memory`, large.of.get(one)?.memory ?? 0, 'MB', samples),
    ]),
  ];
};

/** The fourth organization: the smallest log has ten. */
const house = {
  organization: idOf('A', 3, 0),
  user: idOf('B', 3, 0),
  addon: idOf('C', 3, 0),
  grant: idOf('D', 3, 0),
};

const measureIn = async (events: number, samples: number): Promise<Costs> => {
  const servers = await startServers();
  const folder = await mkdtemp(join(tmpdir(), 'grantbook-bench-history-'));
  const remove = closedInAnyCase(() => rm(folder, { recursive: true, force: true }));
  try {
    await (await servers.startNode()).close(); // creates its tables
    tell(`writing a log of ${events} events`);
    const logger = pino({ level: 'warn' });
    const places = { databaseUrl: servers.databaseUrl };
    const core = async (eventStoreUrl: string) =>
      composeService(readConfig(servers.env(eventStoreUrl)), { ...places, eventStoreUrl }, logger);
    const sealing = await core('esdb://127.0.0.1:1?tls=false');
    await seedLog({ ...servers, personal: sealing.personal.data }, events);
    await sealing.close();
    await forgetIndexes(servers.databaseUrl);
    const node = await servers.startNode();
    const service = await core(node.url);
    const log = service.store;
    const workers = [
      startProjector({ ...places, log, name: historyGroup, projections: historyProjections, logger }),
      startKeepingStreams({ ...places, log, logger }),
      startLogHeads({
        ...places,
        store: service.store,
        sign: nobodySigns,
        now: Date.now,
        logger,
        intervalMs: Infinity,
      }),
    ];
    try {
      tell('indexing it');
      await Promise.all(workers.map(({ caughtUp }) => caughtUp));
      await tidyUp(servers.databaseUrl);
      const env = servers.env(node.url);
      tell('asking');
      return await ask(env, folder, samples);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
      await service.close();
      await node.close();
    }
  } finally {
    await remove();
    await servers.close();
  }
};

/** The seed sets the checkpoints of all read models; resetting those of the indexes makes the service build them. */
const forgetIndexes = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`delete from checkpoints where name in ('timelines', 'streams', 'log-heads')`);
  await client.end();
};

const nobodySigns = () => Promise.reject(new Error('the bench signs by command'));

/** Otherwise PostgreSQL would do it during the first queries. */
const tidyUp = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  await client.end();
};

const ask = async (env: NodeJS.ProcessEnv, folder: string, samples: number): Promise<Costs> => {
  const of = { ...house, head: join(folder, 'head') };
  await runAudit(env, headCommand(of.head));
  const starting = () => repeated(samples, () => runAudit(env, startingCommand(of)));
  const before = await starting();
  const costs = new Map<Asked, Cost>();
  for (const one of asked)
    costs.set(
      one,
      await repeated(samples, (n) => runAudit(env, commandOf(one, of, join(folder, `${one}-${n}`)))),
    );
  const after = await starting(); // measured again, so that other load of the machine is not mistaken for the cost of starting
  return { start: before.cpu < after.cpu ? before : after, of: costs };
};

/** The least CPU, which is closest to the work itself, and the most memory. */
const repeated = async (samples: number, run: (n: number) => Promise<Cost>): Promise<Cost> => {
  const costs: Cost[] = [];
  for (let n = 0; n < samples; n += 1) costs.push(await run(n));
  return {
    cpu: Math.min(...costs.map(({ cpu }) => cpu)),
    memory: Math.max(...costs.map(({ memory }) => memory)),
  };
};
