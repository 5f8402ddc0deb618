import { historyNames } from './history/names.ts';
import { rebuildNames } from './rebuild/names.ts';
import type { Result } from './results.ts';
import { revocationNames } from './revocation/names.ts';
import { rotationNames } from './rotations/names.ts';
import { signalNames } from './signals/names.ts';

const loads = ['16', '64'];
const withLatency = (name: string) => [name, `${name}-p50`, `${name}-p99`];

/** The results of each group; the names are stable, so that runs can be compared. */
export const groups = {
  tokens: loads.flatMap((n) => [
    `raw-appends-${n}`,
    `raw-appends-${n}-p50`,
    `authorize-${n}`,
    ...withLatency(`exchange-${n}`),
    ...withLatency(`refresh-${n}`),
  ]),
  lists: loads.flatMap((n) => withLatency(`list-${n}`)),
  visible: ['append-to-visible-p50', 'append-to-visible-p99'],
  'catch-up': ['client-catch-up', 'copy', 'catch-up'],
  import: ['raw-appends-256', 'import', 'import-visible', 'import-again', 'import-changed'],
  depth: [
    ...['depth-statement', 'depth-page'].flatMap((name) => [
      `${name}-first`,
      `${name}-middle`,
      `${name}-last`,
    ]),
    'depth-walk',
    'depth-walk-pages',
  ],
  changes: ['changes-first', 'changes-page'],
  pages: ['rows-50', 'rows-200', 'page-of-50'],
  notified: ['projected-unasked', 'projected-asked'],
  'command-line': ['node-alone-cpu', 'command-over-api-cpu'],
  revocation: revocationNames,
  kafka: [
    'relay-unsent',
    'relay',
    'deactivation-to-readable-p50',
    'deactivation-to-readable-p99',
    'bare-consumer',
    'ingest',
  ],
  rebuild: rebuildNames,
  history: historyNames,
  rotations: rotationNames,
  signals: signalNames,
} as const satisfies Record<string, readonly string[]>;

export type Group = keyof typeof groups;
export const groupNames = Object.keys(groups) as readonly Group[];

type Choice = { readonly groups: readonly Group[]; readonly keeps: (result: Result) => boolean };

/** Selects by `--only`: everything without it, a group, or one result with its ceiling; null for an unknown name. */
export const choose = (only: string | undefined): Choice | null => {
  const all = () => true;
  if (only === undefined) return { groups: groupNames, keeps: all };
  const named = groupNames.filter((group) => group === only);
  if (named.length > 0) return { groups: named, keeps: all };
  const making = groupNames.filter((group) => (groups[group] as readonly string[]).includes(only));
  const kept = [only, ceilingOf(only)];
  return making.length > 0 ? { groups: making, keeps: ({ name }) => kept.includes(name) } : null;
};

/** Raw appends with as many in flight; the ceiling of a list is not a result of its own. */
const ceilingOf = (name: string): string | undefined =>
  /^(exchange|refresh)-/.test(name) ? name.replace(/^[a-z]+/, 'raw-appends').replace(/-p99$/, '') : undefined;
