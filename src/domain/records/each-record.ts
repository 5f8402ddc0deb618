import { changesOf, type RecordChange, type RecordEventOf, type RecordTypeOf } from './record-resource.ts';
import { recordResources, type RecordResource } from './record-resources.ts';
import { isOwnId, isRecordId } from '../kernel/ids.ts';
import { idsOf, isOfCategory } from '../kernel/stream-name.ts';

export type RecordEvent = RecordEventOf<RecordResource>;
type RecordEventType = RecordTypeOf<RecordResource>;

type Name = 'name' | 'key' | 'category' | 'table' | 'path' | 'scope';

/** An object with a value for each resource, under one of its names. */
export const eachRecord = <const N extends Name, T>(name: N, of: (resource: RecordResource) => T) =>
  Object.fromEntries(recordResources.map((resource) => [resource[name], of(resource)])) as {
    readonly [K in RecordResource[N]]: T;
  };

export const eachRecordEvent = <T>(of: (resource: RecordResource, change: RecordChange) => T) =>
  Object.fromEntries(
    recordResources.flatMap((resource) =>
      changesOf(resource).map((change) => [`${resource.name}${change}`, of(resource, change)]),
    ),
  ) as { readonly [K in RecordEventType]: T };

export const recordCategories: readonly RecordResource['category'][] = recordResources.map(
  ({ category }) => category,
);

export const isOfRecord = (stream: string): boolean =>
  recordCategories.some((category) => isOfCategory(stream, category));

/** Whether a stream is of a record, and its name is one that `recordStream` makes of an id. */
export const isRecordStream = (stream: string): boolean => {
  const [organizationId, id] = idsOf(stream);
  return isOfRecord(stream) && isOwnId(organizationId) && isRecordId(id);
};

/** As in a sentence: `profiles, reservations and access rights`. */
export const recordsInWords = new Intl.ListFormat('en-GB').format(
  recordResources.map(({ words }) => words.many),
);
