import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/process/package-root.ts';
import { servedMetrics } from '../../test/support/log/served-metrics.ts';
import { fill } from './fill.ts';
import { code, codes, table } from './table.ts';

export const metricsPage = async (): Promise<string> =>
  fill('metrics.md', { metrics: await metricsTable(), alerts: alertsTable() });

const metricsTable = async (): Promise<string> =>
  table(
    ['name', 'type', 'labels', 'what'],
    (await servedMetrics()).map(({ name, type, help, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels ?? {})));
      labels.delete('le');
      return [code(name), type, codes([...labels]), help];
    }),
  );

type Rule = {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
};

const alertsTable = (): string => {
  const text = readFileSync(join(packageRoot, 'docs/alerts.yaml'), 'utf8');
  const { groups } = parse(text) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  return table(
    ['alert', 'severity'],
    groups
      .flatMap(({ rules }) => rules)
      .map(({ alert, labels, annotations: { runbook } }) => [
        `[${alert}](${runbook.replace('docs/', '../')})`,
        labels.severity,
      ]),
  );
};
