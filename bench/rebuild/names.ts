import { rebuildables } from '../../src/projections/rebuild/rebuildables.ts';

/** The results of the group `rebuild`: for every read model the ceilings, then a rebuild. */
export const rebuildNames: readonly string[] = [
  ...rebuildables.flatMap(({ name }) => [
    `rebuild-client-${name}`,
    `rebuild-copy-${name}`,
    `rebuild-${name}`,
  ]),
  'rebuild-memory-early',
  'rebuild-memory-late',
];
