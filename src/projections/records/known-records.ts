import { eachRecord } from '../../domain/records/each-record.ts';
import type { KnownRecord } from '../../domain/records/record.ts';
import { makeBatchLoader } from '../database/batch-loader.ts';
import type { ListName } from '../lists/write/operations.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { FindKnown, KnownRecords, ReadModels } from '../read-models.ts';

/** Single records as the lists hold them; many requests at once share one statement. */
export const makeKnownRecords = (reader: PipelinedReader): KnownRecords =>
  eachRecord('key', ({ table }) => makeFind(reader, table)) as KnownRecords;

const mostIds = 500;

const makeFind = <T extends object>(reader: PipelinedReader, list: ListName): FindKnown<T> => {
  const statement = {
    name: `known-${list}`,
    text: `select id, revision, item from ${list} where organization_id = $1 and id = any($2)`,
  };
  const ofOrganization = new Map<string, (id: string) => Promise<KnownRecord<T> | null>>();
  const findIn = (organizationId: string) =>
    makeBatchLoader<string, KnownRecord<T> | null>(async (ids) => {
      ofOrganization.delete(organizationId); // later requests go into another statement
      const rows = await reader.query<Row<T>>(statement, [organizationId, ids]);
      const found = new Map(rows.map((row) => [row.id, toKnown(row)]));
      return ids.map((id) => found.get(id) ?? null);
    }, mostIds);
  return (organizationId, id) => {
    const find = ofOrganization.get(organizationId) ?? findIn(organizationId);
    ofOrganization.set(organizationId, find);
    return find(id);
  };
};

type Row<T> = {
  readonly id: string;
  readonly revision: string;
  readonly item: T & { readonly id: string; readonly version: number; readonly updatedAt: string };
};

const toKnown = <T extends object>({ revision, item }: Row<T>): KnownRecord<T> => {
  const { id: _id, version, updatedAt: _updatedAt, ...record } = item;
  return { version, record: record as unknown as T, revision: BigInt(revision) };
};

export const readProfilesOfUser =
  (reader: PipelinedReader): ReadModels['profilesOfUser'] =>
  (userId) =>
    reader.query({ name: 'profiles-of-user', text: profilesOfUser }, [userId]);

const profilesOfUser = `
  select organization_id as "organizationId", id from profiles where user_id = $1
  order by organization_id, user_ordinal limit 1000`;
