/** An archive command was refused; `code` is for programs. Nothing was changed. */
export class HistoryRefused extends Error {
  override readonly name = 'HistoryRefused';
  readonly code: HistoryRefusal;
  constructor(code: HistoryRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

export type HistoryRefusal =
  | 'month-unknown'
  | 'partition-missing'
  | 'month-not-over'
  | 'month-archived'
  | 'events-parked'
  | 'versions-beside'
  | 'file-exists'
  | 'tables-in-use';

export const partitionMissing = (month: string): HistoryRefused =>
  new HistoryRefused(
    'partition-missing',
    `one of the two partitions of ${month} is missing: somebody has dropped it; rebuild the history (grantbook projections rebuild history)`,
  );
