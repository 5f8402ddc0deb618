import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { makeNoteSwap } from '../../../src/commands/note-swap.ts';
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
import type { Stage } from './stage.ts';

const isSlow = process.env['GRANTBOOK_SLOW_TESTS'] !== undefined;
const seed = Number(process.env['GRANTBOOK_SEED'] ?? Date.now() % 1_000_000);

/** Attacks two server processes while `beside` is done on their stores, again and again. */
const attackWhile = async (rounds: number, beside: (needs: RebuildNeeds) => Promise<void>) => {
  const [node, database] = await Promise.all([startTestNode(), migratedDatabase()]);
  onTestFinished(async () => {
    await node.close();
    await database.drop();
  });
  let times = 0;
  let rebuilding = Promise.resolve();
  const over = new AbortController();
  const rebuildOn = async ({ core }: Stage): Promise<void> => {
    const needs: RebuildNeeds = {
      databaseUrl: database.url,
      log: core.store,
      noteSwap: makeNoteSwap({ store: core.store }),
      logger: quietLogger(),
      now: () => Date.now(),
      signal: over.signal,
    };
    for (; !over.signal.aborted; times += 1)
      await beside(needs).catch((error: unknown) => {
        // At first there is nothing to be beside, and at the end it is interrupted.
        const { code } = error as { code?: unknown };
        if (!/^(nothing-live|tables-in-use|interrupted)$/.test(String(code)) && !over.signal.aborted)
          throw error;
        times -= 1;
      });
  };
  const options = { rounds, only: 'plain', seed } as const;
  const results = await runAttack(
    { node, databaseUrl: database.url },
    options,
    undefined,
    undefined,
    (stage) => {
      rebuilding = rebuildOn(stage);
      rebuilding.catch(() => undefined); // told below
      const close = () => stageClose();
      const stageClose = stage.close.bind(stage);
      Object.assign(stage, {
        close: async () => {
          over.abort();
          await rebuilding.catch(() => undefined);
          await close();
        },
      });
    },
  );
  await rebuilding;
  return { results, times, violations: results.flatMap((result) => result.violations) };
};

let turn = 0;
/** One read model after the other. */
const everything = async (needs: RebuildNeeds): Promise<void> => {
  const name = rebuildables[turn % rebuildables.length]?.name ?? '';
  const { version } = await rebuild(needs, { name });
  expect([name, (await verify(needs, { name })).differences]).toEqual([name, []]);
  const { previousVersion } = await swap(needs, { name });
  await drop(needs, { name, version: previousVersion ?? version });
  turn += 1;
};

test.runIf(isSlow)(
  'DE-02, DE-03: P1 and P2 hold while every read model is rebuilt, verified and swapped',
  async () => {
    const { results, times, violations } = await attackWhile(48, everything);
    process.stderr.write(`${summary(results, seed)}, ${times} times a read model\n`);
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
  'the attack sees a rebuild that swaps in a lagging fence: P1 or P2 is broken, or what was activated is not',
  async () => {
    const seen = await attackWhile(64, lagging).then(
      ({ violations }) => violations.map(({ rule }) => rule as string),
      (error: unknown) => [String(error)],
    );
    expect(seen.filter((rule) => /^P[12]$|addon-not-active/.test(rule))).not.toEqual([]);
  },
  300_000,
);
