import { performance } from 'node:perf_hooks';
import { counter, gauge, only, type Metric } from './metric.ts';

/** The process itself, with the names that Prometheus dashboards know. */
export const processMetrics = (version: string, linesLost: number): readonly Metric[] => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const loop = performance.eventLoopUtilization();
  return [
    gauge('grantbook_info', 'The version that runs.', [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
    counter('process_cpu_seconds_total', 'CPU time used.', only((user + system) / 1e6)),
    gauge('process_resident_memory_bytes', 'Memory in use.', only(rss)),
    gauge(
      'process_start_time_seconds',
      'When the process started, since the Unix epoch.',
      only(performance.timeOrigin / 1000),
    ),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', only(heapUsed)),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap.', only(external)),
    counter(
      'grantbook_event_loop_busy_seconds_total',
      'Time in which the event loop had work to do; a rate near 1 is a full core.',
      only(loop.active / 1000),
    ),
    counter('grantbook_log_lines_lost_total', 'Lines of the log that could not be written.', only(linesLost)),
  ];
};
