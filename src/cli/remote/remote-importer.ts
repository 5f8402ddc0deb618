import { randomUUID } from 'node:crypto';
import { organizations } from '../../tasks/organizations.ts';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import type { Importer, ImportTask } from '../import/importer.ts';
import type { ImportResult } from '../../kafka/import/run-import.ts';
import { addCounts, noCounts, type ImportCounts } from '../../kafka/import/tally.ts';
import { AwayForNow } from '../base/not-reached.ts';
import { type Answered, type Api, isForNow, RefusedByService } from './api.ts';
import { batchesOf, type Batch } from './batches.ts';
import { remoteTasks } from './remote-tasks.ts';

type Imported = ImportCounts & { readonly position: string | null };

/** The service waits for some seconds in each. */
const attempts = 12;

/** For so long without progress a service may be away, in milliseconds. */
const patience = 600_000;
/** Between two tries where the service does not say how long; doubled each time. In seconds. */
const [firstPause, longestPause] = [1, 30];

type Waiting = {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Ends early when the command is interrupted. */
  readonly pause: (ms: number) => Promise<void>;
};

/** Imports over the API, batch by batch. A batch that failed may be stored in part: sent again under the same key, it counts what it stored then. */
export const remoteImporter = (api: Api, { now, pause }: Waiting): Importer => {
  const send = async (
    { resource, organizationId }: Pick<ImportTask, 'resource' | 'organizationId'>,
    { bytes, firstLine }: Batch,
    run: string,
  ): Promise<Answered> => {
    const path = `/operator/api/organizations/${organizationId}/import/${resource.path}`;
    return api.ask('POST', path, {
      query: { first_line: firstLine },
      body: bytes,
      headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': `${run}-${firstLine}` },
    });
  };
  /** Until the service has taken it, or has been away for too long. @throws the newest reason */
  const sendUntilTaken = async (task: ImportTask, batch: Batch, run: string): Promise<Imported> => {
    const giveUpAt = now() + patience;
    for (let usual = firstPause; ; usual = Math.min(2 * usual, longestPause)) {
      const answered = await send(task, batch, run).catch((error: unknown) => {
        if (error instanceof AwayForNow) return error;
        throw error;
      });
      if (!(answered instanceof AwayForNow) && answered.ok) return answered.json as Imported;
      const why = answered instanceof AwayForNow ? answered : new RefusedByService(answered);
      if (!(answered instanceof AwayForNow) && !isForNow(answered)) throw why;
      const seconds = answered.retryAfter ?? usual;
      if (now() + seconds * 1000 > giveUpAt) throw why;
      task.onWait(why.message, seconds);
      await pause(seconds * 1000);
    }
  };
  return {
    organization: (text) => remoteTasks(api, undefined).show(organizations, text),
    run: async (task) => {
      let result: ImportResult = { counts: noCounts, position: null };
      let atLine = 0;
      const run = randomUUID();
      try {
        for await (const batch of batchesOf(task.input)) {
          atLine = batch.firstLine;
          const { position, ...counts } = await sendUntilTaken(task, batch, run);
          const newest = position === null ? null : parsePosition(position);
          result = { counts: addCounts(result.counts, counts), position: newest ?? result.position };
          atLine += batch.lines - 1;
          task.onProgress({ lines: atLine, bytes: batch.endsAtByte, counts: result.counts });
        }
        return result;
      } catch (cause) {
        return { ...result, stopped: { atLine, cause } };
      }
    },
    isVisible: async ({ position }, { signal }) => {
      if (position === null) return true;
      const query = { position: positionText(position) };
      for (let attempt = 0; attempt < attempts && !signal.aborted; attempt += 1) {
        // What was stored is reported also where the service does not say whether the lists show it.
        const answered = await api.ask('GET', '/operator/api/shown', { query }).catch(() => null);
        if (!answered?.ok) return false;
        if (answered.json['shown'] === true) return true;
      }
      return false;
    },
    close: () => Promise.resolve(),
  };
};
