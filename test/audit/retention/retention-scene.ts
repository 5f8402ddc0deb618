import { removeOverdue, type RemoveDependencies } from '../../../src/audit/retention/remove-streams.ts';
import { readRemovals } from '../../../src/audit/retention/removals.ts';
import { checkLog, type LogCheck } from '../../../src/audit/log-heads/check-log.ts';
import { headsFrom } from '../../../src/audit/log-heads/read-heads.ts';
import { signHead, type SignHeadDependencies } from '../../../src/audit/log-heads/sign-head.ts';
import { openLogTree } from '../../../src/audit/log-tiles/log-tree.ts';
import type { EventStore, LogReader, Position } from '../../../src/eventstore/event-store.ts';
import { days, seconds, t0 } from '../../support/scenes/grants.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { newKey, signerOf } from '../exports.ts';
import type { memoryTiles } from '../log-tiles/memory-tiles.ts';

const { signal } = new AbortController();
const key = await newKey();

/** The day on which what ended at `t0` is just overdue. */
export const keepMs = days(400);
export const overdueAt = t0 + seconds(3600) + keepMs;

type Tiles = ReturnType<typeof memoryTiles>;

export const signedBy = (store: SignHeadDependencies['store'], tiles: Tiles, now = t0) =>
  signHead({ store, sign: signerOf(key), now: () => now, tiles: tiles.source, save: tiles.save }, signal);

/** One pass over the log. @returns up to where it is done with */
export const removedBy = async (
  store: RemoveDependencies['store'],
  tiles: Tiles,
  changed: Partial<RemoveDependencies> & { readonly after?: Position | null } = {},
): Promise<Position | null> => {
  const { after = null, ...more } = changed;
  let position = after;
  const needs = { store, tiles: tiles.source, logger: quietLogger(), now: () => overdueAt, keepMs, ...more };
  await removeOverdue(needs, after, signal, (to) => {
    position = to;
    return Promise.resolve();
  });
  return position;
};

/** What `audit check-log --full` compares. */
export const fullyChecked = async (
  log: LogReader & Pick<EventStore, 'read'>,
  tiles: Tiles,
): Promise<LogCheck> => {
  const heads = (await headsFrom(log, 0n)).map(({ size, root }) => ({ name: `over ${size}`, size, root }));
  const tree = await openLogTree(tiles.source);
  return checkLog({ log, heads, tiles: tree, removedAs: (await readRemovals(log)).as, signal });
};
