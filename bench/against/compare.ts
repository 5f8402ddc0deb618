import { packageRoot } from '../../src/process/package-root.ts';
import { type Peer, startPeers } from '../peers/peers.ts';
import { tell } from '../tell.ts';
import { assertClean, builtWorktree, commitOf } from './commit.ts';
import { listPage, measures, measureInTurns, type Running, startSide } from './sides.ts';
import { tableOf } from './turns.ts';

/**
 * This version, others, and servers of others at the same time, in bursts that take turns; prints the CPU of all processes of
 * a server for each operation, and the ratios. Each version has everything embedded.
 * @param commits by any name that git knows
 * @param peers those that cannot be started are left out
 * @param turns in each round every side has a burst of each measure
 * @throws {NotComparable} for a commit that is unknown, or changes that are in none; if none of the peers can be started
 */
export const compareWith = async (
  { commits, peers }: { readonly commits: readonly string[]; readonly peers: readonly Peer[] },
  turns: { readonly rounds: number; readonly share: number },
): Promise<void> => {
  if (commits.length > 0) assertClean(packageRoot);
  const ids = commits.map((name) => commitOf(packageRoot, name));
  const folders = [packageRoot, ...ids.map((id) => builtWorktree(packageRoot, id))];
  const measured = peers.length > 0 ? measures : [...measures, listPage];
  const started = await startPeers(peers, measured);
  const versions: Running[] = [];
  for (const folder of folders) {
    tell(`starting ${folder}`);
    versions.push(await startSide(['against/side', folder], measured));
  }
  const names = ['this version', ...ids.map((id) => id.slice(0, 8)), ...started.map(({ name }) => name)];
  const sides = [...versions, ...started.map(({ side }) => side)];
  console.log(tableOf(names, await measureInTurns(sides, measured, turns)));
};
