import type { Tasks } from '../base/tasks.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { ImportProgress, ImportResult } from '../../kafka/import/run-import.ts';

export type ImportTask = {
  readonly resource: RecordResource;
  readonly organizationId: string;
  readonly input: AsyncIterable<Buffer>;
  /** Called before a pause, with why and for how many seconds. */
  readonly onWait: (why: string, seconds: number) => void;
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onFailure: (line: number, cause: unknown) => void;
};

/** Where records are imported: on the servers of the settings, or by a service, over its API. */
export type Importer = {
  /** Whose records they are: an id, or what else names one organization. */
  readonly organization: (text: string) => ReturnType<Tasks['show']>;
  readonly run: (task: ImportTask) => Promise<ImportResult>;
  /** Waits until the lists show what was imported, as long as they make progress. */
  readonly isVisible: (
    result: ImportResult,
    waiting: {
      readonly signal: AbortSignal;
      /** Null while it is unknown. */
      readonly onHeadway: (share: number | null) => void;
    },
  ) => Promise<boolean>;
  readonly close: () => Promise<void>;
};
