import { expect } from 'vitest';
import { typesWithSubjects } from '../../../src/domain/events.ts';
import {
  checkpointOf,
  readCheckpoint,
  type CheckpointRow,
} from '../../../src/projections/follow/checkpoint.ts';
import type { ProjectionSwapEvent } from '../../../src/domain/log/projection-swap.ts';
import type { RebuildDependencies } from '../../../src/projections/rebuild/session.ts';
import { historyGroup, historyProjections } from '../../../src/projections/history/history.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { patience } from '../../support/patience.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import { startTestProjector } from '../../support/log/test-projector.ts';
import type { Told } from '../follow/a-story.ts';
import { makeNoteSwap } from '../../../src/commands/log/note-swap.ts';
import { tellStore } from '../../projections/follow/a-story.ts';

export type RebuildScene = {
  readonly side: TestReadModels;
  readonly store: ReturnType<typeof memoryStore>;
  readonly needs: RebuildDependencies;
  /** Appends, without waiting for the live tables. */
  tell(...story: readonly Told[]): Promise<void>;
  /** Until the live tables hold everything. */
  settle(): Promise<void>;
  /** The same with the projector stopped until `resume`. */
  pause(): Promise<void>;
  resume(): void;
  readonly swaps: () => readonly ProjectionSwapEvent['data'][];
  close(): Promise<void>;
};

/** Live read models over a log in memory. */
export const rebuildScene = async (): Promise<RebuildScene> => {
  const side = await testReadModels();
  const store = memoryStore();
  const logger = quietLogger();
  const startProjectors = (): readonly Projector[] => {
    const ours = { databaseUrl: side.database.url, log: store, logger, lingerMs: 0 };
    const ofHistory = { ...ours, name: historyGroup, projections: historyProjections };
    return [startTestProjector(ours), startTestProjector(ofHistory)];
  };
  let projectors = startProjectors();
  const stop = () => Promise.all(projectors.map((projector) => projector.stop()));
  const needs: RebuildDependencies = {
    databaseUrl: side.database.url,
    log: store,
    noteSwap: makeNoteSwap({ store }),
    logger,
    now: () => Date.now(),
    signal: new AbortController().signal,
  };
  return {
    side,
    store,
    needs,
    tell: (...story) => tellStore(store, ...story),
    async settle() {
      const head = store.all().findLast(({ event }) => event.type !== 'ProjectionSwapped')?.position;
      if (head && !(await side.progress.waitFor(head, patience))) throw new Error('the projector is behind');
      await eventually(async () => {
        const { rows } = await side.pool.query<CheckpointRow>(readCheckpoint.text, [historyGroup]);
        const last = store.all().findLast(({ event }) => typesWithSubjects.includes(event.type));
        expect(checkpointOf(rows)?.commit ?? 0n).toBeGreaterThanOrEqual(last?.position.commit ?? 0n);
      });
    },
    pause: async () => void (await stop()),
    resume() {
      projectors = startProjectors();
    },
    swaps: () => store.all().flatMap(({ event }) => (event.type === 'ProjectionSwapped' ? [event.data] : [])),
    async close() {
      await stop();
      await side.close();
    },
  };
};
