import { startNode } from '#eventstore-node';
import { startOwnPostgres } from '../../support/servers/own-postgres.ts';
import type { AttackOptions } from './options.ts';
import { headLine, summary, variantLine } from './report.ts';
import { runAttack } from './run-attack.ts';

/**
 * A run on a PostgreSQL and a node of its own; everything is gone afterwards.
 * @param signal ends it after the rounds that are being played
 * @returns whether nothing was violated
 */
export const attackAlone = async (
  options: AttackOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> => {
  const closers: (() => Promise<void>)[] = [];
  try {
    const postgres = await startOwnPostgres('grantbook-attack-');
    closers.push(postgres.close);
    await Promise.all(['log', 'service'].map(postgres.createDatabase));
    const node = await startNode({ databaseUrl: postgres.url('log') });
    closers.push(() => node.close());
    say(`seed ${options.seed} (the choices come from it; which moment of the processes they meet does not)`);
    say(headLine);
    const stores = { node, databaseUrl: postgres.url('service') };
    const results = await runAttack(stores, options, (result) => say(variantLine(result)), signal);
    say(summary(results, options.seed));
    return results.every(({ violations }) => violations.length === 0);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
};
