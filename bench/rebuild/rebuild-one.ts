import { setInterval } from 'node:timers';
import { pino } from 'pino';
import { composePersonal } from '../../src/compose/personal.ts';
import { readConfig } from '../../src/config/config.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { drop } from '../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../src/projections/rebuild/rebuild.ts';

/** The result that the child process prints. */
export type Built = {
  readonly version: number;
  readonly schema: string;
  readonly events: number;
  readonly seconds: number;
  /** The peak memory of the process in the second and in the last fifth of the time, in MB. */
  readonly early: number;
  readonly late: number;
};

/** A child process that builds one version of a read model, like the command line. */
const [databaseUrl = '', eventStoreUrl = '', name = ''] = process.argv.slice(2);
const logger = pino({ level: 'warn' }, pino.destination(2));
const personal = await composePersonal(readConfig(process.env), { databaseUrl }, logger);
const log = connectEventStore({ url: eventStoreUrl, logger, personal: personal.data });
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

const build = async (): Promise<Built> => {
  const held: number[] = [];
  const looking = setInterval(() => held.push(process.memoryUsage.rss() / 2 ** 20), 100);
  const mostHeld = (from: number, to: number) => {
    const [first, last] = [from, to].map((share) => Math.floor(share * held.length));
    return Math.max(...held.slice(first, last));
  };
  try {
    const needs = {
      databaseUrl,
      log,
      noteSwap: () => Promise.resolve(),
      logger,
      now: () => Date.now(),
      signal: stopping.signal,
    };
    const { version, schema, events, seconds } = await rebuild(needs, { name });
    return { version, schema, events, seconds, early: mostHeld(0.2, 0.4), late: mostHeld(0.8, 1) };
  } finally {
    clearInterval(looking);
  }
};

/** Below this, compile time would matter. */
const few = 100_000;

const first = await build();
if (first.events < few)
  await drop({ databaseUrl, logger, signal: stopping.signal }, { name, version: first.version });
console.log(JSON.stringify(first.events < few ? await build() : first));
process.exit(0);
