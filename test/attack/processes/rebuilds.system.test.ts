import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeNoteSwap } from '../../../src/commands/log/note-swap.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { rebuildables } from '../../../src/projections/rebuild/rebuildables.ts';
import type { RebuildDependencies } from '../../../src/projections/rebuild/session.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { seededRandom } from '../../durability/random.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { startTestNode } from '../../support/servers/node.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { patiently, renew } from '../../support/log/renew-read-model.ts';
import { seed } from '../../support/seed.ts';
import { summary } from './report.ts';
import { type Cast, closeLedger, type IssuingCall, playSideBySide, playVariant } from './run-attack.ts';
import { openStage, type Stage } from './stage.ts';
import { lagging } from './variants/lagging-rebuild.ts';
import { query } from '../../support/query.ts';

const random = seededRandom(seed);

let stage: Stage;
let databaseUrl: string;
let cast: Cast;
let closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const [node, database] = await Promise.all([startTestNode(), migratedDatabase()]);
  closers = [() => node.close(), () => database.drop()];
  databaseUrl = database.url;
  stage = await openStage({ node, databaseUrl });
  closers.unshift(() => stage.close());
  cast = { playing: [], all: [] };
});
afterAll(async () => {
  for (const close of closers) await close();
});

const needsUntil = (signal: AbortSignal): RebuildDependencies => ({
  databaseUrl,
  log: stage.core.store,
  noteSwap: makeNoteSwap({ store: stage.core.store }),
  logger: quietLogger(),
  now: () => Date.now(),
  signal,
});

/** Far more than it takes: the attack is over when every read model was swapped. */
const mostRounds = 2_000;

test('DE-02, DE-03: P1 and P2 hold while every read model is rebuilt, verified and swapped', async () => {
  const names = rebuildables.map(({ name }) => name);
  const renewed: string[] = [];
  const [done, over] = [new AbortController(), new AbortController()];
  const renewAll = async (): Promise<void> => {
    const needs = needsUntil(over.signal);
    try {
      for (const name of names) renewed.push(await renew(needs, name));
    } finally {
      done.abort();
    }
  };
  const issuing: IssuingCall[] = [];
  const play = { name: 'plain', rounds: mostRounds, random, signal: done.signal } as const;
  const beside = renewAll();
  beside.catch(() => undefined); // told below
  const played = await playVariant(stage, cast, play, issuing).finally(() => over.abort());
  await beside;
  const ledger = await closeLedger(stage, cast.all, issuing);
  process.stderr.write(`${summary([played, ledger], seed)}\n`);
  expect([...played.violations, ...ledger.violations]).toEqual([]);
  expect(renewed).toEqual(names);
});

const built = async (needs: RebuildDependencies): Promise<string> =>
  (await rebuild(needs, { name: 'activation-fence' })).schema;

/** As it is: what was built is merged. */
const merge = async (needs: RebuildDependencies): Promise<void> => {
  await swap(needs, { name: 'activation-fence', unverified: true });
};

/** The mutation of the model against the real servers: the rebuilt rows take the live ones' place, whatever is ahead. */
const overwrite = async (needs: RebuildDependencies, schema: string): Promise<void> => {
  await query(
    needs.databaseUrl,
    `insert into fence select * from ${schema}.fence on conflict (subject) do update
       set revision = excluded.revision, epoch = excluded.epoch, open = excluded.open`,
  );
};

const rulesBroken = async (takeOver: (needs: RebuildDependencies, schema: string) => Promise<void>) => {
  const needs = needsUntil(new AbortController().signal);
  const variant = lagging({
    build: () => patiently(needs.signal, () => built(needs)),
    takeOver: (schema) => takeOver(needs, schema),
  });
  const played = await playSideBySide(stage, cast.playing.slice(0, 4), variant, random);
  return played.flatMap(({ violations }) => violations.map(({ rule }) => rule));
};

const mostStrikes = 20;

test('P1: a rebuild of the fence that lags behind deactivations lowers nothing; one that is swapped in breaks it', async () => {
  expect(await rulesBroken(merge)).toEqual([]);
  // Which grants have tokens when it strikes is drawn by lot.
  const broken: string[] = [];
  for (let strike = 0; strike < mostStrikes && !broken.includes('P1'); strike += 1)
    broken.push(...(await rulesBroken(overwrite)));
  expect(broken).toContain('P1');
});
