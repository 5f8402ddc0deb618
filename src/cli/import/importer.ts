import type { Tasks } from '../base/tasks.ts';
import type { RecordResource } from '../../domain/records/record-resources.ts';
import type { WaitForProjectionsOptions } from '../base/wait-for-projections.ts';
import type { ImportProgress, ImportResult } from './run-import.ts';

export type ImportTask = {
  readonly resource: RecordResource;
  readonly organizationId: string;
  readonly input: AsyncIterable<Buffer>;
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
    waiting: Required<Pick<WaitForProjectionsOptions, 'signal' | 'onHeadway'>>,
  ) => Promise<boolean>;
  readonly close: () => Promise<void>;
};
