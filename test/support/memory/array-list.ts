import type { FenceRefusal, Guarded } from '../../../src/domain/fence/fence.ts';
import type { ListItem, ListPosition, ListReader } from '../../../src/projections/read-models.ts';

type Entry = ListPosition & { readonly id: string; readonly entered: bigint };

export type ArrayList = {
  /** Adds a record at the end of its organization's part. */
  add(id: string, organizationId?: string): void;
  remove(id: string): void;
  /** The current ids, in order. */
  ids(): readonly string[];
  readonly reader: ListReader<object>;
};

const compare = (a: ListPosition, b: ListPosition): number =>
  a.organizationId < b.organizationId ? -1 : a.organizationId > b.organizationId ? 1 : a.ordinal - b.ordinal;

const beginning = { place: { position: 0n, organizationId: '', ordinal: -1 }, state: 0n };

/** A list reader over an array: slow and simple, without a database. */
export const arrayList = (
  judge: (guarded: Guarded) => Promise<FenceRefusal | null> = () => Promise.resolve(null),
): ArrayList => {
  let entries: readonly Entry[] = [];
  let changed = 0n;
  const next = new Map<string, number>();
  const change = (changedEntries: readonly Entry[]) => {
    changed += 10n;
    entries = changedEntries.toSorted(compare);
  };
  return {
    add(id, organizationId = 'O1') {
      const ordinal = next.get(organizationId) ?? 0;
      next.set(organizationId, ordinal + 1);
      change([...entries, { id, organizationId, ordinal, entered: changed + 10n }]);
    },
    remove: (id) => change(entries.filter((entry) => entry.id !== id)),
    ids: () => entries.map(({ id }) => id),
    reader: {
      async page({ guarded, perPage, place, unless = [] }) {
        const refused = await judge(guarded);
        if (refused) return { refused };
        const version = `v${changed}`;
        if (unless.includes(version)) return { refused: null, version, stale: false, unchanged: true };
        const bound = place.by === 'page' ? changed : place.bound;
        const slice = sliceOf(entries, perPage, place);
        const [first, last] = [slice.at(0), slice.at(-1)];
        return {
          refused: null,
          version,
          stale: false,
          unchanged: false,
          items: slice.map(itemOf),
          totalItems: entries.length,
          first: first ? positionOf(first) : null,
          last: last ? positionOf(last) : null,
          hasBefore: first !== undefined && entries[0] !== first,
          hasAfter:
            last !== undefined && entries.some((entry) => compare(entry, last) > 0 && entry.entered <= bound),
          bound,
          sync: place.by === 'page' ? beginning : null,
        };
      },
      changes: () => Promise.reject(new Error('an array has no changes')),
    },
  };
};

type Place = Parameters<ListReader<object>['page']>[0]['place'];

const sliceOf = (entries: readonly Entry[], perPage: number, place: Place): readonly Entry[] => {
  switch (place.by) {
    case 'page':
      return entries.slice((place.page - 1) * perPage, place.page * perPage);
    case 'after':
      return entries
        .filter((entry) => compare(entry, place.position) > 0 && entry.entered <= place.bound)
        .slice(0, perPage);
    case 'before':
      return entries.filter((entry) => compare(entry, place.position) < 0).slice(-perPage);
  }
};

const positionOf = ({ organizationId, ordinal }: Entry): ListPosition => ({ organizationId, ordinal });

const time = '2026-05-01T08:00:00.000Z';
const itemOf = ({ id }: Entry): ListItem<object> => ({ id, version: 1, createdAt: time, updatedAt: time });
