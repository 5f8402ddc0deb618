import { gauge, type Metric } from './metric.ts';

/** Counts of a pool of connections to Postgres, as `pg` reports them. */
export type PoolCounts = {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
};

export type Queues = {
  readonly pools: Readonly<Record<string, PoolCounts>>;
  readonly readers: Readonly<Record<string, () => number>>;
  readonly passwords: () => number;
};

export const queueMetrics = ({ pools, readers, passwords }: Queues): readonly Metric[] => [
  gauge(
    'grantbook_postgres_connections',
    'Connections of the pools that write.',
    Object.entries(pools).flatMap(([pool, { totalCount, idleCount }]) => [
      { labels: { pool, state: 'used' }, value: totalCount - idleCount },
      { labels: { pool, state: 'idle' }, value: idleCount },
    ]),
  ),
  gauge(
    'grantbook_postgres_waiting',
    'Statements that wait for a connection, or on a shared one for their answer.',
    [
      ...Object.entries(pools).map(([pool, { waitingCount }]) => ({ labels: { pool }, value: waitingCount })),
      ...Object.entries(readers).map(([pool, waiting]) => ({ labels: { pool }, value: waiting() })),
    ],
  ),
  gauge('grantbook_passwords_waiting', 'Sign-ins that wait for their password to be hashed.', [
    { value: passwords() },
  ]),
];
