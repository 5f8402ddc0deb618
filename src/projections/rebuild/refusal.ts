export type RefusalCode =
  | 'projection-unknown'
  | 'version-unknown'
  | 'version-live'
  | 'version-not-built'
  | 'nothing-built'
  | 'nothing-live'
  | 'busy'
  | 'behind'
  | 'unverified'
  | 'different'
  | 'tables-changed'
  | 'tables-in-use'
  | 'schema-refused'
  | 'schema-taken'
  | 'personal-keys'
  | 'key-lost'
  | 'interrupted'
  | 'month-unknown'
  | 'month-dropped'
  | 'month-not-over'
  | 'earlier-month'
  | 'events-parked'
  | 'versions-beside';

/** An operator's request cannot be done in the current state; nothing was changed, or nothing that affects a second run. */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const isLockTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === '55P03';

/** For errors of a statement that waits for a lock on tables, with a `lock_timeout`. */
export const refuseInUse =
  (done: string) =>
  (error: unknown): never => {
    if (!isLockTimeout(error)) throw error;
    throw new RebuildRefused(
      'tables-in-use',
      `the tables are locked by a long transaction: nothing was ${done}, try again`,
    );
  };
