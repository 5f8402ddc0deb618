import { setInterval } from 'node:timers';
import { pino } from 'pino';
import { connectEventStore } from '../../src/eventstore/esdb.ts';
import { drop } from '../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../src/projections/rebuild/rebuild.ts';

/** What a process says of the version that it has built. */
export type Built = {
  readonly version: number;
  readonly schema: string;
  readonly events: number;
  readonly seconds: number;
  /** The most that the process held in its second fifth and in its last, in MB. */
  readonly early: number;
  readonly late: number;
};

/** A process of its own builds one version of a read model, as the command line does. */
const [databaseUrl = '', eventStoreUrl = '', name = '', workers = '1'] = process.argv.slice(2);
const logger = pino({ level: 'warn' }, pino.destination(2));
const log = connectEventStore({ url: eventStoreUrl, logger });
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

const build = async (): Promise<Built> => {
  let share = 0;
  let [early, late] = [0, 0];
  const look = () => {
    const held = process.memoryUsage.rss() / 2 ** 20;
    if (share >= 0.2 && share < 0.4) early = Math.max(early, held);
    if (share >= 0.8) late = Math.max(late, held);
  };
  const looking = setInterval(look, 50);
  try {
    const needs = {
      databaseUrl,
      log,
      noteSwap: () => Promise.resolve(),
      logger,
      now: () => Date.now(),
      signal: stopping.signal,
    };
    const progressed = (progress: { readonly share: number }) => void (share = progress.share);
    const { version, schema, events, seconds } = await rebuild(needs, {
      name,
      workers: Number(workers),
      progressed,
    });
    return { version, schema, events, seconds, early, late };
  } finally {
    clearInterval(looking);
  }
};

/** So few that what is compiled on the way would count. */
const few = 100_000;

const first = await build();
if (first.events < few)
  await drop({ databaseUrl, logger, signal: stopping.signal }, { name, version: first.version });
console.log(JSON.stringify(first.events < few ? await build() : first));
process.exit(0);
