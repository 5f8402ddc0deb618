import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { makeNoteSwap } from '../../../src/commands/note-swap.ts';
import { connectEventStore } from '../../../src/eventstore/esdb.ts';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { rebuildables } from '../../../src/projections/rebuild/rebuildables.ts';
import type { RebuildNeeds } from '../../../src/projections/rebuild/session.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { migratedDatabase } from '../../support/databases.ts';
import { startTestNode } from '../../support/node.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { summary } from './report.ts';
import { runAttack } from './run-attack.ts';

const isSlow = process.env['GRANTBOOK_SLOW_TESTS'] !== undefined;
const seed = Number(process.env['GRANTBOOK_SEED'] ?? Date.now() % 1_000_000);

/** Attacks two server processes while `beside` is done on their stores, again and again. */
const attackWhile = async (rounds: number, beside: (needs: RebuildNeeds) => Promise<void>) => {
  const [node, database] = await Promise.all([startTestNode(), migratedDatabase()]);
  const store = connectEventStore({ url: node.url });
  onTestFinished(async () => {
    await store.close();
    await node.close();
    await database.drop();
  });
  const needs: RebuildNeeds = {
    databaseUrl: database.url,
    log: store,
    noteSwap: makeNoteSwap({ store }),
    logger: quietLogger(),
    now: () => Date.now(),
    signal: new AbortController().signal,
  };
  let [isOver, times] = [false, 0];
  const attack = runAttack({ node, databaseUrl: database.url }, { rounds, only: 'plain', seed }).finally(
    () => (isOver = true),
  );
  const rebuilding = (async () => {
    while (!isOver) {
      try {
        await beside(needs);
        times += 1;
      } catch (error) {
        // At first there is nothing to be beside; what is written all the time may be in use.
        if (!/nothing-live|tables-in-use/.test(String((error as { code?: unknown }).code))) throw error;
      }
    }
  })();
  const [results] = await Promise.all([attack, rebuilding]);
  return { results, times, violations: results.flatMap((result) => result.violations) };
};

const everything = async (needs: RebuildNeeds): Promise<void> => {
  for (const { name } of rebuildables) {
    const { version } = await rebuild(needs, { name });
    expect([name, (await verify(needs, { name })).differences]).toEqual([name, []]);
    const { previousVersion } = await swap(needs, { name });
    await drop(needs, { name, version: previousVersion ?? version });
  }
};

test.runIf(isSlow)(
  'DE-02, DE-03: P1 and P2 hold while every read model is rebuilt, verified and swapped',
  async () => {
    const { results, times, violations } = await attackWhile(64, everything);
    process.stderr.write(`${summary(results, seed)}, ${times} times all read models\n`);
    expect(violations).toEqual([]);
    expect(times).toBeGreaterThan(0);
  },
  300_000,
);

/** The mutation of the model against the real servers: the rebuilt rows take the live ones' place, whatever is ahead. */
const lagging = async (needs: RebuildNeeds): Promise<void> => {
  const name = 'activation-fence';
  const { version, schema } = await rebuild(needs, { name });
  const client = new pg.Client({ connectionString: needs.databaseUrl });
  await client.connect();
  await client.query(
    `insert into fence select * from ${schema}.fence on conflict (subject) do update
       set revision = excluded.revision, epoch = excluded.epoch, open = excluded.open`,
  );
  await client.end();
  await drop(needs, { name, version });
};

test.runIf(isSlow)(
  'the attack sees P1 or P2 broken by a rebuild that swaps in a lagging fence',
  async () => {
    const { violations } = await attackWhile(64, lagging);
    expect(violations.map(({ rule }) => rule).filter((rule) => rule === 'P1' || rule === 'P2')).not.toEqual(
      [],
    );
  },
  300_000,
);
