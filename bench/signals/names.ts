/** The results of the group; the names are stable, so that runs can be compared. */
export const signalNames = [
  'sets-signed',
  'sets-delivered',
  'deactivation-to-set-p50',
  'deactivation-to-set-p99',
  'signals-load',
  'signals-load-lag-early',
  'signals-load-lag-late',
  'signals-load-memory-early',
  'signals-load-memory-late',
  'polls-waiting',
  'polls-waiting-memory',
  'polls-waiting-each',
] as const;
