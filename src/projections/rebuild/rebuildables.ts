import { createHash } from 'node:crypto';
import { accounts } from '../people/accounts.ts';
import { activationFence } from '../fence/activation-fence.ts';
import { activations } from '../organizations/activations.ts';
import { addons } from '../addons/addons.ts';
import { liveReadModels } from '../follow/checkpoint.ts';
import { consents } from '../access/consents.ts';
import { grants } from '../access/grants.ts';
import { history, historyGroup } from '../history/history.ts';
import { lists } from '../lists/write/lists.ts';
import { listNames, profilesLists } from '../lists/write/operations.ts';
import { organizations } from '../organizations/organizations.ts';
import { publishers } from '../publishers/publishers.ts';
import type { Projection } from '../follow/projection.ts';
import { RebuildRefused } from './refusal.ts';

/** A read model that can be rebuilt next to its live tables. */
export type Rebuildable = {
  readonly name: string;
  readonly projection: Projection;
  /** The checkpoint of the live tables. */
  readonly group: string;
  /** All of its tables, and none of others. */
  readonly tables: readonly string[];
  /** By these the writer finds rows: created at the start. Others except the primary keys come at the end. */
  readonly writerIndexes: readonly string[];
  /** `merged`: it has no versions to swap; what was built is merged into the table, whose rows never go back. */
  readonly kept: 'versions' | 'merged';
  /** By table, a column with positions: rows up to the one that is asked for may have been removed, and are not compared. */
  readonly cleaned?: { readonly upTo: string; readonly columns: Readonly<Record<string, string>> };
  /** Not compared: it says what the live tables lack. */
  readonly lacking?: string;
};

const ofReadModels = (
  projection: Projection,
  tables: readonly string[],
  writerIndexes: readonly string[] = [],
): Rebuildable => ({
  name: projection.name,
  projection,
  group: liveReadModels,
  tables,
  writerIndexes,
  kept: 'versions',
});

/** Every table of read models is in one of them. */
export const rebuildables: readonly Rebuildable[] = [
  ofReadModels(organizations, ['organizations', 'administrators', 'administrators_by_claim', 'auditors']),
  ofReadModels(accounts, ['accounts']),
  ofReadModels(addons, ['addons']),
  ofReadModels(activations, ['activations']),
  ofReadModels(publishers, [
    'publishers',
    'publisher_members',
    'publisher_leaves',
    'publisher_addons',
    'waiting_changes',
  ]),
  ofReadModels(consents, ['consents']),
  ofReadModels(grants, ['grants', 'connections']),
  {
    ...ofReadModels(
      lists,
      [...listNames, 'lists', 'list_blocks', 'list_removals', 'list_change_blocks'],
      profilesLists.map((list) => `${list}_of_a_profile`),
    ),
    cleaned: {
      upTo: 'select position from list_changes_from',
      columns: { list_removals: 'removed', list_change_blocks: 'since' },
    },
  },
  {
    ...ofReadModels(history, ['history_streams', 'history_events', 'history_references', 'history_dropped']),
    group: historyGroup,
    cleaned: {
      upTo: 'select max(last_position) as position from history_dropped',
      columns: { history_events: 'position', history_references: 'position' },
    },
    lacking: 'history_dropped',
  },
  { ...ofReadModels(activationFence, ['fence']), kept: 'merged' },
];

/** @throws RebuildRefused when there is none */
export const rebuildableOf = (name: string): Rebuildable => {
  const found = rebuildables.find((rebuildable) => rebuildable.name === name);
  if (found) return found;
  const names = rebuildables.map((rebuildable) => rebuildable.name).join(', ');
  throw new RebuildRefused('projection-unknown', `no read model is called ${name}; allowed: ${names}`);
};

/** What PostgreSQL keeps of a name. */
const longestName = 63;

/** The schema of a version's tables while it is not live. It begins with the live one's name: a database may have two installations. */
export const schemaOf = (live: string, name: string, version: number): string => {
  const named = (prefix: string) => `${prefix}_${name.replaceAll('-', '_')}_v${version}`;
  return Buffer.byteLength(named(live)) <= longestName
    ? named(live)
    : named(createHash('sha256').update(live).digest('hex').slice(0, 16));
};

export const checkpointNameOf = (name: string, version: number): string => `rebuild:${name}:v${version}`;
