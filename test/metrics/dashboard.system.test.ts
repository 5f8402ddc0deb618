import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { anchorsOf } from '../support/documents/anchors.ts';

const docs = join(import.meta.dirname, '../../docs');
const read = (path: string) => readFileSync(join(docs, path), 'utf8');
/** Where reasons are written as they are: in the sources, of the domain and of http. */
const refusalReasons = [
  'http/limits/refusal-reasons.ts',
  'domain/access/grant-refresh.ts',
  'domain/access/grant-exchange.ts',
]
  .map((path) => readFileSync(join(docs, '../src', path), 'utf8'))
  .join('\n');
const promtool = spawnSync('promtool', ['--version']);

/** Every metric of the list with its labels. */
const listed = new Map(
  [...read('reference/metrics.md').matchAll(/^\| `(\w+)` *\| (\w+) *\| ([^|]*?) *\|/gm)].map(
    ([, name = '', type, labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`([\w]+)`/g)].map(([, label = '']) => label) },
    ],
  ),
);

type Target = { readonly expr: string; readonly refId: string; readonly legendFormat: string };
type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults: object; readonly overrides: readonly object[] };
};
const dashboard = JSON.parse(read('grafana.json')) as {
  readonly title: string;
  readonly uid: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
};
type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
};
const { groups } = parse(read('alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

const namesIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/\b(?:grantbook|process|nodejs)_\w+/g)].map(([name]) => name);

/** The parts of a histogram have names of their own. */
const metricOf = (name: string) => (listed.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));

/** What an expression says of labels, but for the two that Prometheus and its histograms add. */
const labelsIn = (expr: string): readonly string[] => [
  ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*[=!]~?/g)].map(([, label = '']) => label),
  ),
  ...[...expr.matchAll(/\b(?:by|group_left|on) \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(/, */),
  ),
];
const given = ['instance', 'le', 'job'];

const wrongIn = (expr: string): readonly string[] => {
  const names = namesIn(expr).map(metricOf);
  const known = new Set([...given, ...names.flatMap((name) => listed.get(name)?.labels ?? [])]);
  return [
    ...names.filter((name) => !listed.has(name)),
    ...labelsIn(expr).filter((label) => label !== '' && !known.has(label)),
    ...names.filter(
      (name) =>
        listed.get(name)?.type === 'counter' && !new RegExp(`(rate|increase)\\(${name}[{[]`).test(expr),
    ),
  ];
};

const targets = dashboard.panels.flatMap(({ targets: of = [] }) => of);

describe('the dashboard', () => {
  test('has what Grafana imports: a version, panels with places and a data source that is asked for', () => {
    expect(dashboard).toMatchObject({ title: 'Grantbook', uid: 'grantbook' });
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    expect(dashboard.templating.list.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'datasource datasource',
      'instance query',
    ]);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { title, type, datasource, fieldConfig, targets: of = [] } of dashboard.panels) {
      if (type === 'row') continue;
      expect([title, datasource]).toEqual([title, { type: 'prometheus', uid: '${datasource}' }]);
      expect(of.length).toBeGreaterThan(0);
      expect(new Set(of.map(({ refId }) => refId)).size).toBe(of.length);
      expect(fieldConfig?.overrides).toEqual([]);
    }
  });

  test('panels stand in its 24 columns and cover no other', () => {
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.has(`${x} ${y}`)]).toEqual([title, false]);
          taken.add(`${x} ${y}`);
        }
    }
  });

  test('asks for nothing that is not in the list, by labels that it has, and for counters by their rates', () => {
    expect(targets.length).toBeGreaterThan(30);
    for (const { expr } of targets) expect([expr, wrongIn(expr)]).toEqual([expr, []]);
  });

  test('shows every metric of the list, but whether Kafka is configured', () => {
    const shown = new Set(targets.flatMap(({ expr }) => namesIn(expr).map(metricOf)));
    expect([...listed.keys()].filter((name) => !shown.has(name))).toEqual(['grantbook_kafka_configured']);
  });
});

describe('the alerts', () => {
  test('ask for what is in the list, and say what to do', () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect([alert, wrongIn(expr)]).toEqual([alert, []]);
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  test('OP-06: each has the address of a part of a page that is there, below RUNBOOK_URL (FX-79)', () => {
    expect(read('alerts.yaml').split('groups:')[0]).toContain('RUNBOOK_URL');
    const missing = rules.filter(({ annotations }) => {
      const [page = '', part] = (annotations['runbook_url'] ?? '').replace(/^RUNBOOK_URL\//, '').split('#');
      return part === undefined || !anchorsOf(read(page)).includes(part);
    });
    expect(missing.map(({ alert }) => alert)).toEqual([]);
  });

  test('OP-06: what is not there any more, refusals by reason and a failing start have one', () => {
    const asks = (part: RegExp) => rules.filter(({ expr }) => part.test(expr)).map(({ alert }) => alert);
    expect(asks(/\bup\{[^}]*\} == 0/)).toEqual(['GrantbookDown']);
    expect(asks(/absent\(grantbook_info\)/)).toEqual(['GrantbookAbsent']);
    expect(asks(/absent\(grantbook_worker_role\{role="leading"\}\)/)).toEqual(['GrantbookNobodyLeads']);
    expect(asks(/absent\(grantbook_signed_head_timestamp_seconds\)/)).toEqual(['GrantbookNeverSignedHead']);
    expect(asks(/by \(endpoint, reason\) \(rate\(grantbook_refusals_total/)).toEqual(['GrantbookRefusals']);
    expect(asks(/changes\(process_start_time_seconds/)).toEqual(['GrantbookFailingStart']);
    const reasons = rules
      .filter(({ expr }) => expr.includes('grantbook_refusals_total'))
      .flatMap(({ expr }) => [...expr.matchAll(/\breason[=!]~?"([^"]+)"/g)])
      .flatMap(([, names = '']) => names.split('|'));
    expect(reasons.filter((reason) => !refusalReasons.includes(`'${reason}'`))).toEqual([]);
  });

  test.skipIf(promtool.error)('OP-06: promtool takes the rules, where it is installed', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(docs, 'alerts.yaml')], {
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  test('what an alert asks for is on the dashboard', () => {
    const shown = new Set(targets.flatMap(({ expr }) => namesIn(expr)));
    expect(rules.flatMap(({ expr }) => namesIn(expr)).filter((name) => !shown.has(name))).toEqual([]);
  });

  test('whatever can go wrong unseen has one', () => {
    const asked = new Set(rules.flatMap(({ expr }) => namesIn(expr)));
    const worthy = [...listed.keys()].filter((name) =>
      /_(accepted|agrees|reachable|healthy|parked_keys|lag_seconds|signed_head_timestamp_seconds|head_deposits_waiting|keys_untrusted|keys_lost)$/.test(
        name,
      ),
    );
    expect(worthy).toHaveLength(13);
    expect(worthy.filter((name) => !asked.has(name))).toEqual([]);
  });
});
