import { servedMetrics } from '../../test/support/log/served-metrics.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';

export const metricsPage = async (): Promise<string> => fill('metrics.md', { metrics: await metricsTable() });

const metricsTable = async (): Promise<string> =>
  table(
    ['name', 'type', 'labels', 'what'],
    (await servedMetrics()).map(({ name, type, help, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels ?? {})));
      labels.delete('le');
      return [code(name), type, codes([...labels]), help];
    }),
  );
