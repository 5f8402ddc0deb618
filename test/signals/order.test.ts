import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { makeSignalsProjection } from '../../src/signals/projection.ts';
import { makeReadSets } from '../../src/signals/read-sets.ts';
import { endSets, replaySets } from '../../src/signals/set-queue.ts';
import { keepStream } from '../../src/signals/stream-table.ts';
import {
  activated,
  deactivated,
  issued,
  plain,
  redeemed,
  switched,
  type Told,
} from '../projections/follow/a-story.ts';
import { pollStream } from '../support/scenes/told-addons.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { positionOf, scriptedLog } from '../support/log/test-projector.ts';

const issuer = 'https://grantbook.example';
const side = await testReadModels();
afterAll(() => side.close());

/** What may happen to the add-on A1, with the queues in which it is told. */
const happenings = {
  activated: { told: () => activated(1), queue: 'organization:O1', sets: 1 },
  deactivated: { told: () => deactivated(1), queue: 'organization:O1', sets: 1 },
  elsewhere: { told: () => activated(1, 'O2'), queue: 'organization:O2', sets: 1 },
  suspended: { told: () => plain('addon-A1', 'AddonSuspended'), queue: 'addon', sets: 1 },
  disabled: { told: () => switched('U1', 'AccountDisabled'), queue: 'user:U1', sets: 2 },
  enabled: { told: () => switched('U1', 'AccountEnabled'), queue: 'user:U1', sets: 1 },
} as const satisfies Record<string, { told: () => Told; queue: string; sets: number }>;
type Happening = keyof typeof happenings;

type Step =
  | { readonly do: 'write' | 'crash' | 'repeat'; readonly events: readonly Happening[] }
  | { readonly do: 'end'; readonly which: number }
  | { readonly do: 'replay'; readonly which: number };

const events = fc.array(fc.constantFrom(...(Object.keys(happenings) as Happening[])), { maxLength: 5 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: events.map((some): Step => ({ do: 'write', events: some })) },
    { weight: 1, arbitrary: events.map((some): Step => ({ do: 'crash', events: some })) },
    { weight: 1, arbitrary: events.map((some): Step => ({ do: 'repeat', events: some })) },
    { weight: 6, arbitrary: fc.nat(9).map((which): Step => ({ do: 'end', which })) },
    { weight: 1, arbitrary: fc.nat(20).map((which): Step => ({ do: 'replay', which })) },
  ),
  { maxLength: 30 },
);

class Crash extends Error {}
const onlyCrash = (error: unknown): void => {
  if (!(error instanceof Crash)) throw error;
};

test('SG-06, SG-11: whatever is acknowledged, killed, repeated and replayed, each queue is offered in the order of the log, one at a time', async () => {
  const reading = makeReadSets((statement, values) => side.reader.query(statement, values));
  const projection = makeSignalsProjection({ issuer, keepMs: Number.MAX_SAFE_INTEGER, now: () => 0 });
  const run = async (taken: readonly Step[]): Promise<void> => {
    await side.pool.query(
      'truncate signal_sets, signal_streams, signal_grants, signal_deactivations, signal_holders',
    );
    const log = scriptedLog();
    const write = (batch: readonly RecordedEvent[], crash = false) =>
      inPoolTransaction(side.pool, async (tx) => {
        const begun = projection.begin();
        for (const event of batch) begun.apply(event);
        await begun.write(tx);
        if (crash) throw new Crash();
      });
    await inPoolTransaction(side.pool, (tx) => keepStream(tx, pollStream('A1', 'S1', issuer)));
    const subject = { kind: 'user', userId: 'U1', epoch: 0 } as const;
    await write([issued('G1', subject), redeemed('G1')].map(({ stream, event }) => log.add(stream, event)));

    /** The model: what waits in each queue, by the commit position of its event, and everything that was ever told. */
    const waiting = new Map<string, number[]>();
    const all: { readonly queue: string; readonly at: number; readonly part: number }[] = [];
    const queueIn = (queue: string) => waiting.get(queue) ?? [];

    for (const step of taken) {
      if (step.do === 'end') {
        const offered = await reading.offered('S1', 100);
        const one = offered[step.which % Math.max(1, offered.length)];
        if (!one) continue;
        const { rows } = await side.pool.query<{ queue: string }>(
          `select queue from signal_sets where stream_id = 'S1' and jti = $1`,
          [one.jti],
        );
        await inPoolTransaction(side.pool, (tx) => endSets(tx, 'S1', [{ jti: one.jti, error: null }], 0));
        const { queue = '' } = rows[0] ?? {};
        waiting.set(queue, queueIn(queue).slice(1));
      } else if (step.do === 'replay') {
        const after = positionOf(10 * step.which);
        await inPoolTransaction(side.pool, (tx) => replaySets(tx, 'S1', after));
        for (const queue of new Set(all.map((told) => told.queue))) {
          const again = all.filter((told) => told.queue === queue && told.at > 10 * step.which);
          const before = queueIn(queue).filter((at) => at <= 10 * step.which);
          waiting.set(queue, [...before, ...again.map(({ at }) => at)]);
        }
      } else {
        const batch = step.events.map((name) => {
          const { queue, sets, told } = happenings[name];
          const { stream, event } = told();
          const recorded = log.add(stream, event);
          for (let part = 0; part < sets; part += 1) {
            const at = Number(recorded.position.commit);
            all.push({ queue, at, part });
            waiting.set(queue, [...queueIn(queue), at]);
          }
          return recorded;
        });
        if (step.do === 'crash') await write(batch, true).catch(onlyCrash);
        await write(batch);
        if (step.do === 'repeat') await write(batch);
      }
      const { rows } = await side.pool.query<{ queue: string; at: string }>(
        `select queue, commit_position as at from signal_sets where stream_id = 'S1' and head order by queue`,
      );
      const heads = [...waiting].flatMap(([queue, [first]]) =>
        first === undefined ? [] : [{ queue, at: `${first}` }],
      );
      expect(rows).toEqual(heads.toSorted((a, b) => (a.queue < b.queue ? -1 : 1)));
      expect((await reading.standings(['S1']))[0]?.waiting).toBe([...waiting.values()].flat().length);
    }
  };
  await fc.assert(fc.asyncProperty(steps, run), propertyRuns(15));
});
