import { addonChanges } from '../commands/addons/find-addon.ts';
import { readSkippedEvents } from '../commands/log/skip-parked-event.ts';
import { personOfStream } from '../domain/personal-data.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import { startFenceReadiness } from '../projections/fence/fence-readiness.ts';
import { historyGroup, historyProjections } from '../projections/history/history.ts';
import { makeLogMarks } from '../projections/log-guard/log-marks.ts';
import { startProjector } from '../projections/follow/projector.ts';
import { readModelProjections } from '../projections/read-model-projections.ts';
import { watchEvents } from '../projections/follow/watch-events.ts';
import { revocationCauses, revocationsCheckpoint } from '../reactions/make-revocations.ts';
import { startReaction } from '../reactions/reaction.ts';
import { makeTrust } from '../observability/readiness/worker-statuses.ts';
import type { Core } from './core.ts';

/** The workers that follow the log: for the read models, for reactions, and for the caches of this process. */
export const startLogWorkers = (core: Core) => {
  const { led, ledRarely, pool, reader, progress, store: log, generation: database, logger } = core;
  const followed = { ...led, log, skipped: readSkippedEvents(log) };
  const marks = makeLogMarks({ pool, logger });
  const projector = startProjector({
    ...followed,
    projections: readModelProjections,
    passed: (messages) => marks.passed(messages),
  });
  const logWatch = core.logWatch.start({ log, reader, isRunning: true });
  const revocations = startReaction({
    ...followed,
    ...ledRarely,
    name: revocationsCheckpoint,
    eventTypes: revocationCauses,
    handle: core.revocations,
  });
  const history = startProjector({
    ...followed,
    name: historyGroup,
    projections: historyProjections,
    lingerMs: 250, // nobody waits for a page of history as for a list, and each transaction costs more than its rows
  });
  const fence = startFenceReadiness({ log, head: () => log.head(), progress, database, logger });
  const changedAddons = watchEvents({
    log,
    eventTypes: addonChanges,
    heard: ({ stream }) => core.addons.forget(idOf(stream)),
    logger,
  });
  const erasures = watchEvents({
    log,
    eventTypes: ['AccountErased', 'ProfileErased'],
    heard: ({ stream }) => core.personal.keys.forget(personOfStream(stream)),
    logger,
  });
  return {
    workers: { projector, revocations, history },
    trust: makeTrust({ fence, log: logWatch, database }),
    /** Resolves once the fence has applied everything that was in the log at the start. */
    ready: fence.ready,
    /** Resolves with a sentence when the event store has gone back while the process runs: the process has to stop. */
    logLost: logWatch.lost,
    stop: async (): Promise<void> =>
      void (await Promise.all([
        fence.stop(),
        changedAddons.stop(),
        erasures.stop(),
        revocations.stop(),
        history.stop(),
        projector.stop().then(() => marks.stop()),
        logWatch.stop(),
      ])),
  };
};

export type LogWorkers = ReturnType<typeof startLogWorkers>;
