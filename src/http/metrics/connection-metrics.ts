import type { Metric } from '../../observability/metrics/metric.ts';
import type { ConnectionTable } from '../connections/connection-table.ts';

export const connectionMetrics = (table: ConnectionTable): readonly Metric[] => [
  {
    name: 'grantbook_http_connections',
    help: 'Connections of clients that are open.',
    type: 'gauge',
    samples: [{ value: table.count() }],
  },
  {
    name: 'grantbook_http_connections_limit',
    help: 'How many connections of clients there may be.',
    type: 'gauge',
    samples: [{ value: table.limit }],
  },
  {
    name: 'grantbook_http_connections_closed_total',
    help: 'Connections closed by the server: at the limit, or for a slow client.',
    type: 'counter',
    samples: Object.entries(table.closed).map(([reason, value]) => ({ labels: { reason }, value })),
  },
];
