import { BadJws, type ComparedHead, type Jwks } from '#verify';
import { Interrupted } from '../../audit/interrupted.ts';
import { earlierLogOf, headsByLog, verifyEarlier } from '../../audit/log-copies/earlier-heads.ts';
import { checkLog, type CheckedTo } from '../../audit/log-heads/check-log.ts';
import type { LogTree } from '../../audit/log-tiles/log-tree.ts';
import { TilesDamaged } from '../../audit/log-tiles/tile.ts';
import { readRemovals } from '../../audit/retention/removals.ts';
import type { CheckKind, CheckRow } from '../../projections/log-guard/log-checks-table.ts';
import { refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { counted, makeMeter, showProgress } from '../base/progress.ts';
import type { CliService } from '../base/service.ts';
import { presentCheck } from './present-check.ts';

type Given = { readonly heads: readonly ComparedHead[]; readonly kept: Jwks | null };

/** Compares the log with heads that were stored outside, and with its own. */
export const checkAgainst = (
  io: CliIo,
  service: CliService,
  given: Given,
  kind: CheckKind,
): Promise<Answer> =>
  check(io, service, given, kind).catch((error: unknown) => {
    if (error instanceof TilesDamaged) return refused('log-tile', error.message);
    throw error;
  });

const check = async (
  io: CliIo,
  { store, logHeads }: CliService,
  { heads: given, kept }: Given,
  kind: CheckKind,
): Promise<Answer> => {
  const all = await headsByLog(store);
  for (const log of all.earlier) {
    const bad = await verifyEarlier(log, kept).then(
      () => null,
      (error: unknown) => (error instanceof BadJws ? error.message : Promise.reject(error as Error)),
    );
    if (bad !== null)
      return refused('log-copy', `the stored data of the log from which this one was copied ${bad}`);
  }
  const outside = given.filter((head) => earlierLogOf(all, head) === null);
  const inside = all.own.map(({ size, root, revision }) => ({
    name: `head ${revision} of the log itself`,
    size,
    root,
  }));
  const removals = await readRemovals(store);
  const { checks } = logHeads;
  const tiles = await logHeads.keptTree();
  // The tiles first: the saved state is used only if they lead to it.
  const save = async (as: CheckKind, row: CheckRow): Promise<void> => {
    await logHeads.keepTree(tiles);
    await checks.save(as, row);
  };
  const saving = makeSaving((row) => save(kind, row));
  try {
    const from = await usable(tiles, await checks.read(kind));
    let size = from?.size ?? 0;
    const meter = makeMeter(size);
    const progress = showProgress(io.stderr, () => {
      const total = Math.max(tiles.size(), size);
      return counted('events checked', size, total, meter(size, total));
    });
    const found = await checkLog({
      log: store,
      heads: [...outside, ...inside],
      tiles,
      removedAs: removals.as,
      ...(from && { from }),
      signal: io.signal,
      passed: async (to) => {
        size += 1;
        await saving.passed(to);
      },
    }).finally(progress.end);
    if (found.difference === null && found.position) {
      await save('verified', { ...found, position: found.position, checkedAt: Date.now() });
      await checks.forget('full');
    }
    const copies = { ...all, ofThem: given.length - outside.length };
    return presentCheck(found, {
      from,
      outside: outside.length,
      inside: inside.length,
      removed: removals.countBefore(found.size),
      copies,
    });
  } catch (error) {
    if (error instanceof Interrupted) {
      const size = await saving.interrupted();
      return refused('interrupted', `interrupted after ${size} events; run it again to continue`);
    }
    throw error;
  }
};

/** A saved state that no longer matches the tiles is ignored, and the events are read again. */
const usable = async (tiles: LogTree, row: CheckRow | null): Promise<CheckRow | null> =>
  row && row.size <= tiles.size() && (await tiles.rootAt(row.size)) === row.root ? row : null;

const saveEveryMs = 5_000;

/** Saves the progress of a check every few seconds, and when it is interrupted. */
const makeSaving = (save: (row: CheckRow) => Promise<void>) => {
  let latest: (() => CheckedTo) | null = null;
  let savedAt = performance.now();
  const keep = async (): Promise<number> => {
    const to = latest?.();
    if (to?.position) await save({ ...to, position: to.position, checkedAt: Date.now() });
    return to?.size ?? 0;
  };
  return {
    async passed(to: () => CheckedTo): Promise<void> {
      latest = to;
      if (performance.now() - savedAt < saveEveryMs) return;
      savedAt = performance.now();
      await keep();
    },
    interrupted: keep,
  };
};
