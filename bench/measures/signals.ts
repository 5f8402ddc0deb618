import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startInstance, type Instance } from '../../demo/running-service.ts';
import { queueSets } from '../../src/signals/set-queue.ts';
import { startChild } from '../child.ts';
import { closedInAnyCase } from '../closing.ts';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { startReceiving, type Receiving } from '../signals/receiving.ts';
import { benchEvent, startSignalStage, type SignalStage } from '../signals/stage.ts';
import { tell } from '../tell.ts';
import { sessionHeader } from '../session-header.ts';

type Size = {
  /** Add-ons with a stream each. */
  readonly streams: number;
  /** SETs that wait in each stream, to be taken as fast as possible. */
  readonly waiting: number;
  readonly samples: number;
  readonly load: { readonly perMinute: number; readonly seconds: number };
  /** Long polls at once of each stream. */
  readonly pollsOfEach: number;
};

const sizes = {
  quick: { streams: 100, waiting: 20, samples: 50, load: { perMinute: 600, seconds: 30 }, pollsOfEach: 10 },
  full: {
    streams: 1000,
    waiting: 20,
    samples: 500,
    load: { perMinute: 2000, seconds: 180 },
    pollsOfEach: 10,
  },
} satisfies Record<string, Size>;

/** What SG-10 allows from a receipt until the add-on holds the SET, and what 10,000 polls may cost. */
const allowed = { milliseconds: 250, megabytes: 200, kilobytes: 20 };

/** A fixed one: the address of the service is known only when it listens. */
const issuer = 'https://bench.example';

type Scene = { readonly stage: SignalStage; readonly instance: Instance; readonly receiving: Receiving };

type Choice = { readonly only: string | undefined; readonly quick: boolean };

export const measureSignals = async ({ only = 'signals', quick }: Choice): Promise<readonly Result[]> => {
  const isWanted = (part: RegExp) => only === 'signals' || part.test(only);
  const size = sizes[quick ? 'quick' : 'full'];
  const deactivations = isWanted(/^(deactivation|signals)/)
    ? size.samples + Math.ceil((size.load.perMinute / 60) * size.load.seconds)
    : 1;
  tell(`making ${size.streams} add-ons`);
  const stage = await startSignalStage(size.streams, Math.ceil(deactivations / size.streams), issuer);
  try {
    const collect = fileURLToPath(new URL('../signals/collect-on-signal.js', import.meta.url));
    const instance = await startInstance(stage.env, ['--expose-gc', '--import', collect]);
    const receiving = startReceiving();
    const stopInstance = closedInAnyCase(() => instance.stop());
    try {
      const scene = { stage, instance, receiving };
      const receivers = stage.addons.map(({ clientId, token, streamId }) => ({
        clientId,
        token,
        url: `${instance.baseUrl}/ssf/poll/${streamId}`,
      }));
      await receiving.ask({ do: 'open', receivers });
      const idle = await residentMegabytes(instance);
      return [
        ...(isWanted(/^sets/) ? await measureDelivery(scene, size) : []),
        ...(isWanted(/^(deactivation|signals)/) ? await measureWaits(scene, size) : []),
        ...(isWanted(/^polls/) ? await measureWaiting(scene, size, idle) : []),
      ];
    } finally {
      await receiving.stop();
      await stopInstance();
    }
  } finally {
    await stage.close();
  }
};

/** SETs that are there already, taken and acknowledged by 32 receivers at once. */
const measureDelivery = async (
  { stage, receiving }: Scene,
  { waiting }: Size,
): Promise<readonly Result[]> => {
  tell('signing alone');
  const { said } = await startChild<{ signed: number; perSecond: number }>('sign-alone');
  tell('taking what waits');
  await queueMany(stage, waiting);
  const { sets, perSecond } = await receiving.ask({ do: 'drain' });
  return [
    result('sets-signed', said.perSecond, '/s', said.signed),
    result('sets-delivered', perSecond, '/s', sets, said.perSecond),
  ];
};

const queueMany = async ({ databaseUrl, addons }: SignalStage, each: number): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let part = 0; part < each; part += 1)
      await queueSets(
        client,
        addons.map(({ clientId: addonId }) => ({
          addonId,
          queue: `organization:bench_${part}`,
          type: benchEvent,
          jti: `bench.${part}.${addonId}`,
          txn: 'bench',
          subId: { format: 'opaque', id: `bench_${part}` },
          payload: { organization_id: `bench_${part}`, epoch: 1, position: '1/1', reason: 'administrator' },
          at: Date.now(),
          position: { commit: 0n, prepare: BigInt(part) },
          part: 0,
        })),
      );
  } finally {
    await client.end();
  }
};

/** From the answer to a deactivation until the add-on holds the SET: first one at a time, then under load. */
const measureWaits = async (scene: Scene, { samples, load }: Size): Promise<readonly Result[]> => {
  const { receiving, instance } = scene;
  await receiving.ask({ do: 'poll', each: 1 });
  await pollsWait(instance, scene.stage.addons.length);
  const next = pairsOf(scene.stage);
  tell('deactivating one at a time');
  const waits: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    waits.push(await untilTold(scene, next()));
    await delay(10);
  }
  tell(`deactivating ${load.perMinute} a minute`);
  const { perMinute, lag, memory } = await underLoad(scene, next, load);
  const early = (of: readonly number[]) => Math.max(...of.slice(0, Math.ceil(of.length / 3)));
  const late = (of: readonly number[]) => Math.max(...of.slice(-Math.ceil(of.length / 3)));
  return [
    result('deactivation-to-set-p50', percentile(waits, 0.5), 'ms', samples),
    result('deactivation-to-set-p99', percentile(waits, 0.99), 'ms', samples, allowed.milliseconds),
    result('signals-load', perMinute, '/min', load.perMinute, load.perMinute),
    result('signals-load-lag-early', early(lag), 's', lag.length),
    result('signals-load-lag-late', late(lag), 's', lag.length, early(lag)),
    result('signals-load-memory-early', early(memory), 'MB', memory.length),
    result('signals-load-memory-late', late(memory), 'MB', memory.length, early(memory)),
  ];
};

type Pair = { readonly clientId: string; readonly organizationId: string };

/** Every activation once: one organization after the other. */
const pairsOf = ({ addons, organizationIds }: SignalStage) => {
  let place = 0;
  return (): Pair => {
    const clientId = addons[place % addons.length]?.clientId ?? '';
    const organizationId = organizationIds[Math.floor(place / addons.length)] ?? '';
    place += 1;
    return { clientId, organizationId };
  };
};

/** In milliseconds; less than nothing where the SET came before the answer. */
const untilTold = async (
  { stage, instance, receiving }: Scene,
  { clientId, organizationId }: Pair,
): Promise<number> => {
  const url = `${instance.baseUrl}/organizations/${organizationId}/addons/${clientId}/activation`;
  const answer = await fetch(url, {
    method: 'DELETE',
    headers: { cookie: sessionHeader(instance.baseUrl, stage.cookie) },
  });
  const answered = Number(process.hrtime.bigint()) / 1e6;
  if (!answer.ok) throw new Error(`a deactivation was answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
  return (await receiving.told(clientId, organizationId)) - answered;
};

const underLoad = async (scene: Scene, next: () => Pair, { perMinute, seconds }: Size['load']) => {
  const [lag, memory]: [number[], number[]] = [[], []];
  const every = Math.max(5, Math.floor(seconds / 18));
  const sampling = setInterval(() => {
    void lagOf(scene.instance).then((sample) => lag.push(sample));
    void residentMegabytes(scene.instance).then((sample) => memory.push(sample));
  }, every * 1000);
  const began = performance.now();
  const told: Promise<number>[] = [];
  const count = Math.ceil((perMinute / 60) * seconds);
  try {
    for (let place = 0; place < count; place += 1) {
      told.push(untilTold(scene, next()));
      await delay(Math.max(0, began + ((place + 1) * 60_000) / perMinute - performance.now()));
    }
    await Promise.all(told);
  } finally {
    clearInterval(sampling);
  }
  return { perMinute: (count / (performance.now() - began)) * 60_000, lag, memory };
};

/** Many polls that wait on one instance. */
const measureWaiting = async (
  { stage, instance, receiving }: Scene,
  { pollsOfEach }: Size,
  idle: number,
): Promise<readonly Result[]> => {
  const count = stage.addons.length * pollsOfEach;
  tell(`letting ${count} polls wait`);
  await receiving.ask({ do: 'poll', each: pollsOfEach });
  await pollsWait(instance, count);
  const beyond = (await residentMegabytes(instance)) - idle;
  const waiting = await pollsWaiting(instance);
  return [
    result('polls-waiting', waiting, 'polls', count, count),
    result('polls-waiting-memory', beyond, 'MB', count, (allowed.megabytes * count) / 10_000),
    result('polls-waiting-each', (beyond * 1000) / count, 'kB', count, allowed.kilobytes),
  ];
};

/** Until nearly all wait at once: each comes again every half minute, which takes it a moment. */
const pollsWait = async (instance: Instance, count: number): Promise<void> => {
  const until = performance.now() + 180_000;
  for (let waiting = 0; waiting < count * 0.99; waiting = await pollsWaiting(instance)) {
    if (performance.now() > until) throw new Error(`only ${waiting} of ${count} polls wait`);
    await delay(200);
  }
};

const pollsWaiting = (instance: Instance) => metricOf(instance, /^grantbook_signals_polls_waiting (.*)$/m);
const lagOf = (instance: Instance) =>
  metricOf(instance, /^grantbook_signals_lag_seconds\{method="poll"\} (.*)$/m);

const metricOf = async ({ baseUrl }: Instance, line: RegExp): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(line.exec(text)?.[1] ?? 0);
};

/** After its garbage was collected. */
const residentMegabytes = async (instance: Instance): Promise<number> => {
  instance.signal('SIGWINCH');
  await delay(1_000);
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${instance.pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
};
