import { type AnyRecord, type RecordDescription } from '../../domain/records/record-resource.ts';
import type { ListItem } from '../../projections/read-models.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';

export const json = 'application/json; charset=utf-8';
/** Caches must revalidate a stored page with its tag before each use, so that a revoked token cannot show it again. */
export const kept = { 'cache-control': 'private, no-cache', vary: 'Authorization, Accept-Encoding' } as const;

export type PresentedItem = Readonly<Record<string, string | number | null>>;

/** A record in the form of `contracts/records.ts`: always the same keys in the same order, which serializes fast. */
export const presenterOf = ({
  fields,
}: RecordDescription): ((item: ListItem<AnyRecord>) => PresentedItem) => {
  const named = Object.keys(fields).map((name) => [name, snakeCase(name)] as const);
  return (item) => {
    const presented: Record<string, string | number | null> = { id: item.id, version: item.version };
    for (const [name, onWire] of named) presented[onWire] = item[name] ?? null;
    presented['created_at'] = item.createdAt;
    presented['updated_at'] = item.updatedAt;
    return presented;
  };
};
