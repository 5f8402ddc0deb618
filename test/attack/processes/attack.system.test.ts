import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase, migratedDatabase, type TestDatabase } from '../../support/servers/databases.ts';
import { startTestNode } from '../../support/servers/node.ts';
import { seed } from '../../support/seed.ts';
import { type AttackOptions, variantNames } from './options.ts';
import { headLine, summary, variantLine } from './report.ts';
import { runAttack, type VariantResult } from './run-attack.ts';
import { isRelease } from '../../support/tiers.ts';
import { query } from '../../support/query.ts';

/** `npm run attack` plays 1,000. */
const rounds = isRelease ? 120 : 80;

/** What a run prints, on standard error: the numbers are wanted of a run that is green, too. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const attack = async (
  database: TestDatabase,
  options: Pick<AttackOptions, 'rounds' | 'only'>,
): Promise<readonly VariantResult[]> => {
  const node = await startTestNode();
  onTestFinished(async () => {
    await node.close();
    await database.drop();
  });
  const all = { ...options, seed };
  return runAttack({ node, databaseUrl: database.url }, all, (result) => say(variantLine(result)));
};

test('DE-02, DE-03: two instances under attack accept and issue nothing once a deactivation has been answered', async () => {
  say(headLine);
  const results = await attack(await freshDatabase(), { rounds, only: null });
  say(summary(results, seed));
  expect(results.flatMap(({ violations }) => violations)).toEqual([]);
  const played = results.filter((result) => result.rounds > 0);
  expect(played.map(({ name }) => name)).toEqual(variantNames);
  expect(played.reduce((sum, result) => sum + result.rounds, 0)).toBe(rounds);
}, 1_500_000);

test('the attack sees P1 and P2 broken where the database loses what closes the fence', async () => {
  const database = await migratedDatabase();
  await loseClosedFences(database.url);
  const results = await attack(database, { rounds: 4, only: 'plain' });
  const rules = new Set(results.flatMap(({ violations }) => violations.map(({ rule }) => rule)));
  expect([...rules]).toEqual(expect.arrayContaining(['P1', 'P2']));
  expect(summary(results, seed)).not.toContain('violations 0');
});

/** A broken service, without a switch in it: what would close an activation never gets into the table. */
const loseClosedFences = (databaseUrl: string) =>
  query(
    databaseUrl,
    `create function lose() returns trigger language plpgsql as 'begin return null; end';
     create trigger lose before insert or update on fence for each row
       when (new.subject like 'activation:%' and not new.open) execute function lose()`,
  );
