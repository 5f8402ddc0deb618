import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { ImportProgress, ImportResult } from '../../kafka/import/run-import.ts';
import { addCounts, noCounts, type ImportCounts } from '../../kafka/import/tally.ts';
import { organizations } from '../../tasks/organizations.ts';
import { type Answered, type Api, type Asked, isForNow, RefusedByService } from '../base/api.ts';
import { AwayForNow } from '../base/not-reached.ts';
import { tasksOver, type Tasks } from '../base/tasks.ts';
import { batchesOf, type Batch } from './batches.ts';
import { ImportStopped } from './import-stopped.ts';

export type ImportTask = {
  readonly resource: RecordResource;
  readonly organizationId: string;
  readonly input: AsyncIterable<Buffer>;
  /** Called before a pause, with why and for how many seconds. */
  readonly onWait: (why: string, seconds: number) => void;
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onFailure: (line: number, cause: unknown) => void;
};

type Imported = ImportCounts & { readonly position: string | null };

/** A service waits for some seconds in each; in this process one waits as long as the lists make progress. */
const attemptsOf = ({ isHere }: Api): number => (isHere ? 1 : 12);

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

/** Imports over the API: in this process a file as a stream, at a service batch by batch. */
export const importerOver = (api: Api, waiting: Waiting) => ({
  /** Whose records they are: an id, or what else names one organization. */
  organization: (text: string): ReturnType<Tasks['show']> =>
    tasksOver(api, undefined).show(organizations, text),
  run: (task: ImportTask): Promise<ImportResult> =>
    api.isHere ? importStream(api, task) : importBatches(api, task, waiting),
  /** Waits until the lists show what was imported, as long as they make progress. `onHeadway`: the share that is done, null while unknown. */
  isVisible: async (
    { position }: Pick<ImportResult, 'position'>,
    {
      signal,
      onHeadway,
    }: { readonly signal: AbortSignal; readonly onHeadway: (share: number | null) => void },
  ): Promise<boolean> => {
    if (position === null) return true;
    const asked = { query: { position: positionText(position) }, meanwhile: { onHeadway } };
    for (let attempt = 0; attempt < attemptsOf(api) && !signal.aborted; attempt += 1) {
      // What was stored is reported also where the service does not say whether the lists show it.
      const answered = await api.ask('GET', '/operator/api/shown', asked).catch(() => null);
      if (!answered?.ok) return false;
      if (answered.json['shown'] === true) return true;
    }
    return false;
  },
  close: api.close,
});

export type Importer = ReturnType<typeof importerOver>;

const send = (
  api: Api,
  { resource, organizationId }: ImportTask,
  { headers, ...asked }: Asked,
): Promise<Answered> =>
  api.ask('POST', `/operator/api/organizations/${organizationId}/import/${resource.path}`, {
    ...asked,
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });

const resultIn = ({ position, ...counts }: Imported): ImportResult => ({
  counts,
  position: position === null ? null : parsePosition(position),
});

/** All of a file in one request. A file that ends with an error, as when the command is interrupted, is imported up to there. */
const importStream = async (api: Api, task: ImportTask): Promise<ImportResult> => {
  let atLine = 0;
  const broken: { readonly cause: unknown }[] = [];
  const body = Readable.from(
    wholeLines(task.input, (cause) => void broken.push({ cause })),
    { objectMode: false },
  );
  const meanwhile: Asked['meanwhile'] = {
    onFailure: task.onFailure,
    onProgress: (progress) => {
      atLine = progress.lines;
      task.onProgress(progress);
    },
  };
  try {
    const answered = await send(api, task, { body, meanwhile });
    if (!answered.ok) throw new RefusedByService(answered);
    const result = resultIn(answered.json as Imported);
    const [end] = broken;
    return end ? { ...result, stopped: { atLine, ...end } } : result;
  } catch (cause) {
    return cause instanceof ImportStopped
      ? cause.result
      : { counts: noCounts, position: null, stopped: { atLine, cause } };
  } finally {
    body.destroy();
  }
};

async function* wholeLines(
  input: AsyncIterable<Buffer>,
  onError: (cause: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const { bytes } of batchesOf(input, 'as-they-come')) yield bytes;
  } catch (cause) {
    onError(cause);
  }
}

/** A batch that failed may be stored in part: sent again under the same key, it counts what it stored then. */
const importBatches = async (api: Api, task: ImportTask, waiting: Waiting): Promise<ImportResult> => {
  let result: ImportResult = { counts: noCounts, position: null };
  let atLine = 0;
  const run = randomUUID();
  try {
    for await (const batch of batchesOf(task.input)) {
      atLine = batch.firstLine;
      const { counts, position } = await sendUntilTaken(api, task, batch, run, waiting);
      result = { counts: addCounts(result.counts, counts), position: position ?? result.position };
      atLine += batch.lines - 1;
      task.onProgress({ lines: atLine, bytes: batch.endsAtByte, counts: result.counts });
    }
    return result;
  } catch (cause) {
    return { ...result, stopped: { atLine, cause } };
  }
};

/** Until the service has taken it, or has been away for too long. @throws the newest reason */
const sendUntilTaken = async (
  api: Api,
  task: ImportTask,
  { bytes, firstLine }: Batch,
  run: string,
  { now, pause }: Waiting,
): Promise<ImportResult> => {
  const giveUpAt = now() + patience;
  const asked = {
    query: { first_line: firstLine },
    body: bytes,
    headers: { 'idempotency-key': `${run}-${firstLine}` },
  };
  for (let usual = firstPause; ; usual = Math.min(2 * usual, longestPause)) {
    const answered = await send(api, task, asked).catch((error: unknown) => {
      if (error instanceof AwayForNow) return error;
      throw error;
    });
    if (!(answered instanceof AwayForNow) && answered.ok) return resultIn(answered.json as Imported);
    const why = answered instanceof AwayForNow ? answered : new RefusedByService(answered);
    if (!(answered instanceof AwayForNow) && !isForNow(answered)) throw why;
    const seconds = answered.retryAfter ?? usual;
    if (now() + seconds * 1000 > giveUpAt) throw why;
    task.onWait(why.message, seconds);
    await pause(seconds * 1000);
  }
};
