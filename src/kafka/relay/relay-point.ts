/** Points where a test may end, stop or stall a relay, in the order in which a batch passes them. */
export const relayPoints = [
  'read',
  'translated',
  'before-send',
  'between-runs',
  'acknowledged',
  'before-checkpoint',
  'after-checkpoint',
] as const;

export type RelayPoint = (typeof relayPoints)[number];

export type AtPoint = (point: RelayPoint) => Promise<void> | void;
