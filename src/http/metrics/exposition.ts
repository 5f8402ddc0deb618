import type { Labels, Metric } from '../../observability/metrics/metric.ts';

/** The format that Prometheus prefers and every scraper understands. */
export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The text format of Prometheus, version 0.0.4. */
export const exposition = (metrics: readonly Metric[]): string =>
  metrics.map((metric) => `${linesOf(metric).join('\n')}\n`).join('');

const linesOf = ({ name, help, type, samples }: Metric): readonly string[] => [
  `# HELP ${name} ${escape(help)}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${inBraces(labels)} ${number(value)}`,
  ),
];

const inBraces = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
};

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const number = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);
