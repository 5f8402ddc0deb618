import type { Position } from '../../eventstore/event-store.ts';
import type { WorkerStatus } from '../../projections/leadership/leader-elected-worker.ts';
import type { ServerState } from '../readiness/server-probe.ts';
import { gauge, oneOf, only, type Metric } from './metric.ts';

const roles = ['standby', 'leading', 'stuck', 'stopped'] as const satisfies readonly WorkerStatus['role'][];

export const workerMetrics = (
  workers: Readonly<Record<string, WorkerStatus>>,
  now: number,
): readonly Metric[] => {
  const all = Object.entries(workers);
  return [
    gauge(
      'grantbook_worker_role',
      '1 for the role that the worker has on this instance.',
      all.flatMap(([worker, { role }]) => oneOf(roles, role, 'role', { worker })),
    ),
    gauge(
      'grantbook_worker_healthy',
      '0 when the worker is stuck, or has failed three times in a row.',
      all.map(([worker, { healthy }]) => ({ labels: { worker }, value: Number(healthy) })),
    ),
    gauge(
      'grantbook_worker_caught_up',
      'For a leading worker: 1 once it has processed everything that was in the log.',
      all
        .filter(([, { role }]) => role === 'leading')
        .map(([worker, { caughtUp }]) => ({ labels: { worker }, value: Number(caughtUp) })),
    ),
    gauge(
      'grantbook_worker_lag_seconds',
      'Of a leading projector: age of the last event it applied while more wait than one batch holds, else 0.',
      all.flatMap(([worker, { role, behindSince }]) =>
        role !== 'leading' || behindSince === undefined
          ? []
          : [
              {
                labels: { worker },
                value: behindSince === null ? 0 : Math.max(0, now - behindSince) / 1000,
              },
            ],
      ),
    ),
  ];
};

/** Whether the servers accept writes, and their clocks; undefined where nobody asked. */
export const serverStateMetrics = (
  states: Readonly<Record<'eventStore' | 'database', ServerState>> | undefined,
): readonly Metric[] => {
  const servers = states
    ? ([
        ['event-store', states.eventStore],
        ['database', states.database],
      ] as const)
    : [];
  return [
    gauge(
      'grantbook_server_takes_writes',
      '1 when the server has just accepted a write.',
      servers.map(([server, { trouble, isUntried }]) => ({
        labels: { server },
        value: Number(trouble === null || isUntried),
      })),
    ),
    gauge(
      'grantbook_server_clock_offset_seconds',
      "By how much the server's clock is surely ahead of ours; negative: behind.",
      servers.flatMap(([server, { ahead }]) =>
        ahead === null ? [] : [{ labels: { server }, value: ahead / 1000 }],
      ),
    ),
  ];
};

/** Whether the servers answer, and the position of the read models; undefined stands for a server that does not. */
export const serverMetrics = (
  head: Position | null | undefined,
  shown: Position | null | undefined,
): readonly Metric[] => [
  gauge('grantbook_server_reachable', '1 when the server has just answered.', [
    { labels: { server: 'event-store' }, value: Number(head !== undefined) },
    { labels: { server: 'database' }, value: Number(shown !== undefined) },
  ]),
  gauge('grantbook_log_head_position', 'Commit position of the newest event in the log.', placeOf(head)),
  gauge(
    'grantbook_read_models_position',
    'Commit position up to which the read models hold the log.',
    placeOf(shown),
  ),
];

const placeOf = (position: Position | null | undefined) => only(position ? Number(position.commit) : null);
